// Names of the programs that command lines start. Arguments are left out: they may hold secrets.

/** Programs that start another one, whose name follows. */
const STARTERS = new Set(['sudo', 'doas', 'env', 'nohup', 'nice', 'time', 'exec', 'command', 'builtin', 'xargs'])
/** Options of them that take a value of their own. */
const VALUED = new Set(['-u', '-g', '-n', '-h', '-p', '-C', '-D', '-R', '-T', '-U'])
/** Words of shells before a command. */
const KEYWORDS = new Set(['if', 'then', 'else', 'elif', 'while', 'until', 'do', '!', '{', '(', 'time'])
/** Words of shells that start none. */
const SYNTAX = new Set(['for', 'case', 'select', 'function', 'fi', 'done', 'esac', '}', ')', '[[', ']]'])
const NAME = /^[A-Za-z0-9_+.[][A-Za-z0-9_+.@-]{0,63}$/

/** Characters and parts of a line that are looked at: a recording may have thousands of long ones. */
const MAX_LENGTH = 1_024
const MAX_PARTS = 32

/** Programs of one command line, in order: of each part of a pipeline and of a list. */
export function programsOf(line: string): string[] {
  // What follows the first line may be a text that is handed to the program.
  const [first = ''] = withoutTexts(line.slice(0, MAX_LENGTH)).split('\n', 1)
  return first.split(/\|\|?|&&?|;/, MAX_PARTS).flatMap((part) => programOf(part.trim().split(/\s+/)) ?? [])
}

/** What is quoted is an argument; a name that is quoted or escaped is no name that could be counted. */
function withoutTexts(line: string): string {
  return line.replaceAll(/\\.|'[^']*'|"(?:\\.|[^"\\])*"/gs, "'").replaceAll(/(^|\s)#.*$/gm, '$1')
}

function programOf(words: readonly string[]): string | undefined {
  let isAfterStarter = false
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? ''
    if (KEYWORDS.has(word) || /^[A-Za-z_]\w*=/.test(word) || /^[0-9]*[<>]/.test(word)) {
      // The name of a file follows.
      if (/^[0-9]*[<>]+&?$/.test(word)) at += 1
      continue
    }
    if (SYNTAX.has(word)) return undefined
    if (isAfterStarter && word.startsWith('-')) {
      if (VALUED.has(word)) at += 1
      continue
    }
    const name = word.slice(word.lastIndexOf('/') + 1)
    if (!STARTERS.has(name) || at === words.length - 1) return NAME.test(name) ? name : undefined
    isAfterStarter = true
  }
  return undefined
}
