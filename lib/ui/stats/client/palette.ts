/** The page's colours as they are now, dark or light. */
export interface Palette {
  readonly ink: string;
  readonly soft: string;
  readonly rule: string;
  readonly sheet: string;
  readonly accent: string;
  readonly waiting: string;
  readonly working: string;
  readonly checking: string;
  readonly landed: string;
  readonly lost: string;
  readonly planner: string;
  readonly worker: string;
  readonly validator: string;
  readonly merger: string;
  readonly queen: string;
}

/** Reads the colours from the style sheet, which knows dark from light; a canvas can't. */
export function readPalette(): Palette {
  const probe = document.createElement('span');
  document.body.append(probe);
  const colour = (name: string): string => {
    probe.style.color = `var(--${name})`;
    return getComputedStyle(probe).color;
  };
  const palette = {
    ink: colour('ink'),
    soft: colour('soft'),
    rule: colour('rule'),
    sheet: colour('sheet'),
    accent: colour('accent'),
    waiting: colour('waiting'),
    working: colour('working'),
    checking: colour('checking'),
    landed: colour('landed'),
    lost: colour('lost'),
    planner: colour('planner'),
    worker: colour('worker'),
    validator: colour('validator'),
    merger: colour('merger'),
    queen: colour('queen'),
  };
  probe.remove();
  return palette;
}
