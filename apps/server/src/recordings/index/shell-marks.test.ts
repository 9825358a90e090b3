import { spawn } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { until } from '@bowline/testkit/until'
import { describe, expect, it } from 'vitest'
import { createScreen } from './screen.ts'

const BASH = 'bash --norc --noprofile -i'
/** What makes a new bash behave as one before 5.1. */
const INPUTRC = join(mkdtempSync(join(tmpdir(), 'bowline-inputrc-')), 'inputrc')
writeFileSync(INPUTRC, 'set enable-bracketed-paste off\n')
const mark = (text: string): string => `\u001b]133;${text}\u0007`

/** Commands in output that arrives in pieces, each at its own millisecond. */
async function commandsOf(pieces: readonly string[], columns = 30): Promise<[number, string][]> {
  const found: [number, string][] = []
  const screen = await createScreen({
    columns,
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
    const shell = startBash({ PS1: prompt, PS0: `\\e]133;C\\a` })
    await until(() => shell.count('ready> ') === 1)
    // The first word is replaced in the line editor: to the start, and the word deleted.
    shell.type('false one two\u0001\u001bdecho\r')
    await until(() => shell.count('ready> ') === 2)
    shell.type('exit\r')
    expect((await commandsOf([await shell.output()], 60)).map(([, text]) => text)).toEqual(['echo one two', 'exit'])
  })
})

describe('commands of a shell without marks', () => {
  it.each([
    ['\\u@\\h:\\w\\$ ', 'a usual prompt'],
    ['[\\u@\\h \\W]# ', 'a prompt in brackets'],
    ['\\w\\n\\[\\e[32m\\]❯\\[\\e[0m\\] ', 'a prompt of two lines with colours'],
  ])('are what was entered at %j, %s', async (PS1) => {
    const shell = startBash({ PS1 })
    let entered = 0
    const enter = async (text: string): Promise<void> => {
      await until(() => shell.count('\u001b[?2004h') === entered + 1)
      entered += 1
      shell.type(text)
    }
    await enter('false one two\u0001\u001bdecho\r')
    await enter('\r')
    await enter(`echo ${'a'.repeat(80)}\r`)
    await enter('printf "no newline; %s" $HOME\r')
    await enter('read -rsp "Secret: " secret\r')
    await until(() => shell.count('Secret: ') === 2)
    shell.type('hidden\r')
    await enter('exit\r')
    expect((await commandsOf([await shell.output()], 60)).map(([, text]) => text)).toEqual([
      'echo one two',
      `echo ${'a'.repeat(80)}`,
      'printf "no newline; %s" $HOME',
      'read -rsp "Secret: " secret',
      'exit',
    ])
  })

  it('are neither lines that were given up, nor those of other programs', async () => {
    const on = '\u001b[?2004h'
    const off = '\u001b[?2004l'
    const lines = [
      `${on}ada@pi:~$ rm -rf /^C${off}\r\n`,
      `${on}> more"\r\n${off}\r`,
      `${on}>>> print("$ x")\r\n${off}\r`,
      `${on}shop=# select 1;\r\n${off}\r`,
      `${on}shop-# from x;\r\n${off}\r`,
      `\u001b[?1049h${on}$ in an editor\r\n${off}\u001b[?1049l`,
      `${on}ada@pi:~$ ls\r\n${off}\r`,
    ]
    expect((await commandsOf(lines)).map(([, text]) => text)).toEqual(['ls'])
    // A shell that marks its commands is believed.
    expect(await commandsOf([`${mark('A')}${on}$ ${mark('B')}ls\r\n${off}\r${mark('C')}`])).toEqual([[0, 'ls']])
  })
})

describe('commands of a shell without signs of its own', () => {
  // The line editor of mksh shows a part of lines that are too long.
  it.each([
    ['busybox ash', 80],
    ['dash', 80],
    [`env INPUTRC=${INPUTRC} ${BASH}`, 80],
    ['mksh', 20],
  ])('are what stands behind the prompt of %s', async (command, letters) => {
    const PS1 = 'gate:/ # '
    const shell = startBash({ PS1, ENV: '' }, command)
    let prompts = 0
    const enter = async (text: string): Promise<void> => {
      prompts += 1
      await until(() => shell.pieces.join('').split(PS1).length > prompts)
      shell.type(text)
    }
    await enter('echo one\r')
    await enter('\r')
    await enter(`echo ${'a'.repeat(letters)}\r`)
    await enter("printf 'no newline; %s' 1\r")
    await enter('given up\u0003')
    await enter('exit\r')
    await shell.output()
    expect((await commandsOf(shell.pieces, 60)).map(([, text]) => text)).toEqual([
      'echo one',
      `echo ${'a'.repeat(letters)}`,
      "printf 'no newline; %s' 1",
      'exit',
    ])
  })

  it('are whole lines, where it completes words', async () => {
    const prompt = 'gate:/ # '
    const pieces = [prompt, 'ls /u', `\r\nuno  usr\r\n${prompt}ls /u`, 'sr', `\r\n`, `bin\r\n${prompt}`]
    expect((await commandsOf(pieces)).map(([, text]) => text)).toEqual(['ls /usr'])
  })

  it('are neither what programs write nor what databases read', async () => {
    const pieces = [
      'shop=# ',
      'select 1;\r\n',
      '100 % ',
      'done\r\n',
      'Price in $ ',
      '\r\n',
      '\u001b[?1049h$ ',
      'in an editor\r\n',
      '\u001b[?1049l',
      '>>> ',
      'print(1)\r\n',
      '# a line of a script\r\n',
    ]
    expect(await commandsOf(pieces)).toEqual([])
  })
})

/** A real bash in a terminal, or another shell. */
function startBash(variables: Readonly<Record<string, string>>, command = BASH) {
  const env = { PATH: process.env['PATH'] ?? '', TERM: 'xterm', HOME: '/', LC_ALL: 'C.UTF-8', ...variables }
  const shell = spawn('script', ['-qec', `stty cols 60; exec ${command}`, '/dev/null'], { env })
  let output = ''
  const pieces: string[] = []
  shell.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
    pieces.push(text)
  })
  const ended = new Promise((resolve) => shell.once('close', resolve))
  return {
    type: (text: string) => void shell.stdin.write(text),
    count: (text: string) => output.split(text).length - 1,
    /** What it has written so far, as it came. */
    pieces,
    /** All that it has written, once it has ended. */
    async output() {
      await ended
      return output
    },
  }
}
