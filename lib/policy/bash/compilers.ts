import { type Objection, objection } from '../rules.ts';
import { judgeAll, judgeLoose, judgeUnlisted, type ProgramCall } from './program.ts';

const compilerFlag =
  /^-(?:c|S|E|g\d?|ggdb|O[0-3sgz]?|Ofast|W(?!p,|a,|l,)[\w=+-]*|w|std=[\w+]+|pedantic(?:-errors)?|pthread|shared|static|ansi|v|M{1,2}|MP|MM|m(?:64|32|arch=[\w-]+|tune=[\w-]+)|f(?!plugin|use-ld|dump|save|profile|diagnostics-format)[\w=,+-]+|D\w+(?:=.*)?|U\w+|l[\w.+-]+|-version|-help)$/;

/** Its -B, -wrapper, -fplugin, -specs and @file choose other programs to run. */
export function judgeCompiler(call: ProgramCall): Objection | null {
  const rest = [...call.args.slice(call.trusted)].reverse();
  for (let arg = rest.pop(); arg !== undefined; arg = rest.pop()) {
    const found = judgeCompilerWord(call, arg, rest);
    if (found !== null) return found;
  }
  return null;
}

function judgeCompilerWord(call: ProgramCall, arg: string, rest: string[]): Objection | null {
  if (/^-[DU]$/.test(arg))
    return rest.pop() === undefined ? objection('bash-option', `${arg} needs a name.`) : null;
  const [, option = '', attached = ''] = /^-([oILx])(.*)$/s.exec(arg) ?? [];
  if (option !== '') {
    const value = attached === '' ? (rest.pop() ?? '.') : attached;
    if (option === 'x') return null;
    return judgeAll(call.context, [{ path: value, access: option === 'o' ? 'write' : 'read' }]);
  }
  if (compilerFlag.test(arg) || arg === '-') return null;
  if (arg.startsWith('-') || arg.startsWith('@'))
    return objection(
      'bash-option',
      `${call.name} ${arg} is not among the options known to be safe. Leave it out.`,
    );
  return judgeAll(call.context, [{ path: arg, access: 'read' }]);
}

/** A class, a jar or a source of the worktree; agents of the machine and files of options are left out. */
export function judgeJava(call: ProgramCall): Objection | null {
  const rest = [...call.args.slice(call.trusted)].reverse();
  for (let arg = rest.pop(); arg !== undefined; arg = rest.pop()) {
    if (/^-(?:cp|classpath|-class-path|-module-path|p)$/.test(arg)) {
      const places = (rest.pop() ?? '.').split(':').map((path) => path.replace(/\/\*$/, '') || '.');
      const found = places.map((path) => judgeLoose(call.context, path)).find((one) => one !== null);
      if (found !== undefined) return found;
    } else if (arg === '-jar') {
      return judgeUnlisted(call.context, call.name, [rest.pop() ?? '.', ...rest]);
    } else if (
      !/^-(?:ea|esa|da|version|-version|showversion|D(?!java\.security|jdk\.)[\w.]+(?:=[^/~]*)?|X(?:mx|ms|ss)\d+[kmgKMG]?)$/.test(
        arg,
      )
    ) {
      if (arg.startsWith('-') || arg.startsWith('@'))
        return objection(
          'bash-option',
          `java ${arg} is not among the options known to be safe. Leave it out.`,
        );
      return (
        (/\.java$|\//.test(arg) ? judgeAll(call.context, [{ path: arg, access: 'read' }]) : null) ??
        judgeUnlisted(call.context, call.name, rest)
      );
    }
  }
  return null;
}

/** Phases and goals that are known; options that set no program. */
export function judgeMaven(call: ProgramCall): Objection | null {
  const args = call.args.slice(call.trusted);
  const bad = args.find(
    (arg) =>
      !/^-(?:q|o|B|e|X|U|ntp|am|amd|fae|ff|fn|v|T\d+C?|-quiet|-offline|-batch-mode|-no-transfer-progress|-version)$|^-D(?:test|tests|it\.test|skipTests|maven\.test\.skip|surefire\.\w+|checkstyle\.skip|groups)(?:=[\w.,#*!$+-]*)?$|^-pl$/.test(
        arg,
      ) &&
      !/^[a-z][\w-]*$|^(?:surefire|failsafe|compiler|checkstyle|spotless|jacoco|dependency):[\w-]+$|^:?[\w.:,/-]+$/.test(
        arg,
      ),
  );
  const runs = args.find((arg) =>
    /(?:^|:)(?:exec|antrun|groovy|gmaven\w*|scripting)(?:-maven-plugin)?:|^-D\w*exec/.test(arg),
  );
  const odd = bad ?? runs;
  if (odd !== undefined)
    return objection(
      'bash-option',
      `mvn ${odd} is not among what is known to be safe. Give phases such as test.`,
    );
  return judgeUnlisted(call.context, 'mvn', args);
}
