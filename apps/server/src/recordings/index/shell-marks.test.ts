import { spawn } from 'node:child_process'
import { until } from '@bowline/testkit/until'
import { describe, expect, it } from 'vitest'
import { createScreen } from './screen.ts'

const mark = (text: string): string => `\u001b]133;${text}\u0007`

/** Commands in output that arrives in pieces, each at its own millisecond. */
async function commandsOf(pieces: readonly string[]): Promise<[number, string][]> {
  const found: [number, string][] = []
  const screen = await createScreen({
    columns: 30,
    rows: 6,
    hasTerminal: true,
    line: () => undefined,
    command: (atMs, text) => found.push([atMs, text]),
  })
  pieces.forEach((piece, at) => screen.write(piece, at))
  await screen.settled()
  screen.close()
  return found
}

describe('commands that a shell marks', () => {
  it('are what is on the screen when they run, however they were edited', async () => {
    const typed = `${mark('A')}$ ${mark('B')}echo wrong\b\b\b\b\b\u001b[Kright`
    expect(await commandsOf([typed, `\r\n${mark('C')}`, `right\r\n${mark('D;0')}`])).toEqual([[1, 'echo right']])
  })

  it('go on over wrapped and further lines', async () => {
    const long = 'a'.repeat(40)
    const typed = `$ ${mark('B')}echo ${long} \\\r\n> more\r\n${mark('C')}`
    expect(await commandsOf([typed])).toEqual([[0, `echo ${long} \\\n> more`]])
  })

  it('are taken from the mark where the shell sends them', async () => {
    const sent = mark('C;cmdline_url=echo%20%C3%BC%3B%20ls')
    expect(await commandsOf([`$ ${mark('B')}shown\r\n${sent}`])).toEqual([[0, 'echo ü; ls']])
    expect(await commandsOf([`$ ${mark('B')}shown\r\n${mark('C;cmdline_url=%zz')}`])).toEqual([[0, 'shown']])
  })

  it('are none without a beginning, and none of an empty line', async () => {
    expect(await commandsOf([`ls\r\n${mark('C')}`, `$ ${mark('B')}\r\n${mark('C')}`])).toEqual([])
  })

  it('are bounded in number and length', async () => {
    const flood = mark(`C;cmdline_url=${'x'.repeat(10_000)}`).repeat(3_000)
    const found = await commandsOf([flood])
    expect(found).toHaveLength(2_000)
    expect(found[0]?.[1]).toHaveLength(4_096)
  })

  it('are those of a real bash with marks in its prompt', async () => {
    const prompt = `\\[\\e]133;A\\a\\]ready> \\[\\e]133;B\\a\\]`
    const env = { PATH: process.env['PATH'] ?? '', TERM: 'xterm', PS1: prompt, PS0: `\\e]133;C\\a` }
    const shell = spawn('script', ['-qec', 'bash --norc --noprofile -i', '/dev/null'], { env })
    let output = ''
    shell.stdout.setEncoding('utf8').on('data', (text: string) => (output += text))
    const ended = new Promise((resolve) => shell.once('close', resolve))
    const prompts = () => output.split('ready> ').length - 1
    await until(() => prompts() === 1)
    // The first word is replaced in the line editor: to the start, and the word deleted.
    shell.stdin.write('false one two\u0001\u001bdecho\r')
    await until(() => prompts() === 2)
    shell.stdin.write('exit\r')
    await ended
    expect((await commandsOf([output])).map(([, text]) => text)).toEqual(['echo one two', 'exit'])
  })
})
