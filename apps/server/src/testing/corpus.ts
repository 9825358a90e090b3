// Generates sessions with known contents from a seed: output as programs write it – colours, redrawn lines, wrapped
// lines, alternate screens, pieces split anywhere – and search questions with their answers.
import { createHash } from 'node:crypto'
import { createEventLines, headerLine } from '@bowline/asciicast/write'

export interface CorpusSession {
  readonly name: string
  readonly command: string
  /** Content of the recording file. */
  readonly cast: string
  /** Time at which each question's answer is first visible, in milliseconds since the start. */
  readonly answers: ReadonlyMap<string, number>
}

const WORDS =
  'disk service network kernel update package module start stop reload listen accept queue cache mount'.split(' ')
const FAILURES = [
  'connection refused by db-',
  'no space left on vol-',
  'certificate expired for host-',
  'timeout while reading shard-',
]
const COLUMNS = 80

/** mulberry32: the same numbers for the same seed on every machine. */
function random(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** @param number number of the session, used as seed */
export function corpusSession(number: number): CorpusSession {
  const next = random(number)
  const pick = <T>(list: readonly T[]): T => list[Math.floor(next() * list.length)] as T
  const id = createHash('sha256').update(`session ${number}`).digest('hex').slice(0, 16)
  const written = createEventLines()
  const events: string[] = []
  const answers = new Map<string, number>()
  let atMs = 0
  /** Writes output in pieces split anywhere. */
  const say = (text: string): void => {
    for (let from = 0; from < text.length;) {
      const to = from + 1 + Math.floor(next() * 40)
      atMs += Math.floor(next() * 20)
      events.push(written.next('o', text.slice(from, to), atMs))
      from = to
    }
    atMs += 150 + Math.floor(next() * 2_000)
  }
  const noise = (lines: number): void => {
    for (let line = 0; line < lines; line += 1)
      say(`${Array.from({ length: 8 }, () => pick(WORDS)).join(' ')} ${line}\r\n`)
  }
  /** Adds a text that only this or some sessions have. */
  const plant = (question: string, show: (text: string) => string, text = question): void => {
    noise(1 + Math.floor(next() * 12))
    answers.set(question, atMs)
    say(show(text))
  }
  const line = (text: string): string => `${text}\r\n`
  say(`\u001b]0;root@host-${number}\u0007\u001b[01;32mroot@host-${number}\u001b[00m:\u001b[01;34m~\u001b[00m# `)
  plant(`/srv/app-${number}/releases/${id}/config.yml`, (path) => line(`editing \u001b[4m${path}\u001b[0m`))
  plant(`req-${id}`, (name) => line(`\u001b[31mERROR\u001b[0m ${name} failed with status 50${number % 10}`))
  // Wider than the terminal, with the answer at the line break.
  plant(`wrapped${id}`, (word) => line(`${'-'.repeat(COLUMNS - 5)}${word}${'-'.repeat(20)}`))
  // Typed with a mistake.
  plant(`mistyped-${number}`, () =>
    line(`# grep mistoped-${number}${'\b'.repeat(`oped-${number}`.length)}yped-${number}`),
  )
  // Redrawn on one line; the last state stays visible for a while.
  plant(`finished download ${id}`, (text) => `10%\r50%\r\u001b[K${text}\r\n`)
  plant(`"${FAILURES[number % 4]}${number % 7}"`, (text) => line(`fatal: ${text.slice(1, -1)} at line ${number}`))
  // An alternate screen with positioned words.
  plant(`editor${id} buffer`, () => `\u001b[?1049h\u001b[2J\u001b[5;10Hbuffer\u001b[3;20Heditor${id}`)
  say('\u001b[?1049l')
  plant(`Größe日本${number}`, line)
  noise(5)
  const header = headerLine({ columns: COLUMNS, rows: 24, term: 'xterm-256color', timestamp: 1_700_000_000 })
  return { name: id, command: `deploy --to cluster-${number}`, cast: header + events.join(''), answers }
}
