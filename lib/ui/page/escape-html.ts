import { visibleText } from '../text/visible-text.ts';
import { nameControls } from './name-controls.ts';

/** Outside text for a page: shown as it is, with what would act or hide made visible. Safe in quoted attributes too. */
export function escapeHtml(value: unknown): string {
  return visibleText(nameControls(`${value ?? ''}`)).replace(
    /[&<>"'`]/g,
    (character) => `&#${character.charCodeAt(0)};`,
  );
}
