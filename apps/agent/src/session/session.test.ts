import { createHash, randomBytes } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ManualClock } from '@bowline/base/testing/manual-clock'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { LinkCause } from '@bowline/link/api'
import { until } from '@bowline/testkit/until'
import { ACCOUNT, alive, exec, exitOfSession, logIn, openSession, run, startAgent, TERMINAL } from '../testing.ts'

const started = { type: 'started' }

let folder: string
/** A file that commands wait for. */
const mark = (): string => join(folder, 'mark')
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bowline-session-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

describe('a session without a terminal', () => {
  test('reports its exit status', async () => {
    const { gateway } = startAgent()
    expect(await run(gateway, 'exit 7')).toMatchObject({ exit: { type: 'exit', status: 7 } })
    expect(await run(gateway, 'true')).toMatchObject({ exit: { type: 'exit', status: 0 }, cause: { reason: 'done' } })
    expect(await run(gateway, 'no-such-command-here')).toMatchObject({ exit: { type: 'exit', status: 127 } })
  })

  test('keeps stdout and stderr apart', async () => {
    const { gateway } = startAgent()
    expect(await run(gateway, 'echo out; echo err >&2')).toMatchObject({ stdout: 'out\n', stderr: 'err\n' })
  })

  test('reports the signal that killed it, and no exit status', async () => {
    const { gateway } = startAgent()
    const exit = { type: 'exit-signal', signal: 'TERM', message: '' }
    expect(await run(gateway, 'kill -TERM $$')).toMatchObject({ exit })
  })

  test.each(['BUS', 'SYS', 'TRAP', 'XCPU'])('reports a signal without an SSH name (%s) as sshd does', async (name) => {
    const { gateway } = startAgent()
    const exit = { type: 'exit-signal', signal: 'SIG@openssh.com' }
    expect(await run(gateway, `ulimit -c 0; kill -${name} $$`)).toMatchObject({ exit })
  })

  test('passes the command exactly, quotes and bytes included', async () => {
    const { gateway } = startAgent()
    expect((await run(gateway, `printf '%s|' "a  b" 'c"d' $(echo e) 'ü\\'`)).stdout).toBe('a  b|c"d|e|ü\\|')
  })

  test('reads its input to the end', async () => {
    const { gateway } = startAgent()
    const input = 'x'.repeat(1_000_000)
    expect((await run(gateway, 'wc -c', {}, input)).stdout.trim()).toBe('1000000')
  })

  test('loses no byte of a large output', async () => {
    const { gateway } = startAgent({ windowBytes: 65_536 })
    const { stdout, exit } = await run(gateway, 'head -c 5000000 /dev/zero; exit 3')
    expect(stdout.length).toBe(5_000_000)
    expect(exit).toEqual({ type: 'exit', status: 3 })
  })

  test('waits for the output of its children', async () => {
    const { gateway } = startAgent()
    const child = '(while kill -0 $$ 2>/dev/null; do :; done; echo late)'
    expect((await run(gateway, `${child} & echo early`)).stdout).toBe('early\nlate\n')
  })

  test('waits for a background process that keeps the output open', async () => {
    const clock = new ManualClock()
    const { gateway } = startAgent({ clock })
    const login = await logIn(gateway)
    const late = `(until [ -e ${mark()} ]; do sleep 0.01; done; echo late)`
    const session = openSession(gateway, login, { run: exec(`${late} & echo $$; exit 3`) })
    await until(() => session.text().endsWith('\n') && !alive(Number(session.text())))
    await clock.advanceAsync(3_600_000)
    expect(session.cause).toBeUndefined()
    writeFileSync(mark(), '')
    expect(await exitOfSession(session)).toEqual({ type: 'exit', status: 3 })
    expect(session.text()).toMatch(/^\d+\nlate\n$/)
  })

  test('stops reading under backpressure, and resumes without losing output', async () => {
    const { gateway } = startAgent({ windowBytes: 65_536 })
    const login = await logIn(gateway)
    const session = openSession(gateway, login, { run: exec('seq 200000') }, { consume: false })
    await until(() => session.bytes().length >= 65_536)
    const before = session.bytes().length
    await new Promise((resolve) => setImmediate(resolve))
    expect(session.bytes().length).toBe(before)
    session.consumes = true
    session.stream.consumed(before)
    expect(await exitOfSession(session)).toEqual({ type: 'exit', status: 0 })
    expect(session.text().trimEnd().split('\n').at(-1)).toBe('200000')
  })

  test('gets SIGPIPE when its output is no longer read', async () => {
    const { gateway } = startAgent({ windowBytes: 65_536 })
    const login = await logIn(gateway)
    const session = openSession(gateway, login, { run: exec('exec yes') }, { consume: false })
    await until(() => session.bytes().length >= 65_536)
    session.stream.control({ type: 'eow' }, 'overtaking')
    session.consumes = true
    session.stream.consumed(session.bytes().length)
    expect(await exitOfSession(session)).toMatchObject({ type: 'exit-signal', signal: 'PIPE' })
  })

  test('delivers signals to the whole process group', async () => {
    const { gateway } = startAgent()
    const login = await logIn(gateway)
    const command = 'trap "echo got; exit 5" USR1; echo ready; while :; do sleep 0.01; done'
    const session = openSession(gateway, login, { run: exec(command) })
    await until(() => session.text() === 'ready\n')
    session.stream.control({ type: 'signal', name: 'USR1' })
    expect(await exitOfSession(session)).toEqual({ type: 'exit', status: 5 })
    expect(session.text()).toBe('ready\ngot\n')
  })

  test('ignores signals without an SSH name', async () => {
    const { gateway } = startAgent()
    const login = await logIn(gateway)
    const session = openSession(gateway, login, { run: exec('read x; exit 4') })
    session.stream.control({ type: 'signal', name: 'STOP' })
    session.stream.control({ type: 'signal', name: '__proto__' })
    session.stream.write(Buffer.from('\n'))
    expect(await exitOfSession(session)).toEqual({ type: 'exit', status: 4 })
  })

  test.each([
    { by: 'user', reason: 'channel-closed', message: '' },
    { by: 'network', reason: 'lost', message: '' },
    { by: 'gateway', reason: 'restart', message: '' },
  ] satisfies LinkCause[])('keeps running when its client has disconnected ($by)', async (cause) => {
    const clock = new ManualClock()
    const { gateway, streams, errors } = startAgent({ clock })
    const login = await logIn(gateway)
    const command = `echo ready; cat; until [ -e ${mark()} ]; do sleep 0.01; done; echo $$ >${mark()}.done`
    const session = openSession(gateway, login, { run: exec(command) })
    await until(() => session.text() === 'ready\n')
    session.stream.close(cause)
    login.stream?.close(cause)
    await until(() => streams.processCount === 0)
    // Its input has ended, and nothing else ends it later.
    await clock.advanceAsync(60_000)
    writeFileSync(mark(), '')
    await until(() => existsSync(`${mark()}.done`))
    expect(errors).toEqual([])
  })

  test('gets SIGPIPE when it writes to a disconnected client', async () => {
    const { gateway, log, errors } = startAgent()
    const login = await logIn(gateway)
    const session = openSession(gateway, login, { run: exec('exec yes') })
    await until(() => session.bytes().length > 0)
    session.stream.close(undefined, 'drop')
    await until(() => log.some(({ ev }) => ev === 'session.ended'))
    expect(errors).toEqual([])
  })

  test.each(['admin', 'policy'] as const)(
    'ends a process with its group when its session is terminated (%s)',
    async (by) => {
      const { gateway, streams, errors } = startAgent()
      const login = await logIn(gateway)
      const session = openSession(gateway, login, { run: exec('sleep 1000 & echo $!; wait') })
      await until(() => session.text().endsWith('\n'))
      const child = Number(session.text())
      session.stream.close({ by, reason: 'terminated', message: '' })
      await until(() => !alive(child))
      expect([streams.processCount, errors]).toEqual([0, []])
    },
  )

  test('ends a process for an administrator even after its own channel has been closed', async () => {
    const { gateway, errors } = startAgent()
    const login = await logIn(gateway)
    const session = openSession(gateway, login, { run: exec('sleep 1000 & echo $!; wait') })
    await until(() => session.text().endsWith('\n'))
    session.stream.close({ by: 'user', reason: 'channel-closed', message: '' })
    login.stream?.close({ by: 'admin', reason: 'terminated', message: '' })
    await until(() => !alive(Number(session.text())))
    expect(errors).toEqual([])
  })

  test('kills a process after the grace period when it ignores SIGHUP', async () => {
    const clock = new ManualClock()
    const { gateway } = startAgent({ clock })
    const login = await logIn(gateway)
    const command = 'trap "" HUP; echo $$; while :; do sleep 1000; done'
    const session = openSession(gateway, login, { run: exec(command) })
    await until(() => session.text().endsWith('\n'))
    const pid = Number(session.text())
    session.stream.close({ by: 'admin', reason: 'terminated', message: '' })
    await until(() => clock.pending > 0)
    await clock.advanceAsync(4_999)
    expect(alive(pid)).toBe(true)
    await clock.advanceAsync(1)
    await until(() => !alive(pid))
  })

  test('ends a process with its client where the device is configured so', async () => {
    const { gateway, errors } = startAgent({ killOrphans: true })
    const login = await logIn(gateway)
    const session = openSession(gateway, login, { run: exec('sleep 1000 & echo $!; wait') })
    await until(() => session.text().endsWith('\n'))
    session.stream.close({ by: 'network', reason: 'lost', message: '' })
    await until(() => !alive(Number(session.text())))
    expect(errors).toEqual([])
  })

  test('ends with its login', async () => {
    const { gateway, streams } = startAgent()
    const login = await logIn(gateway)
    const session = openSession(gateway, login, { run: exec('sleep 1000') })
    await until(() => session.messages.length > 0)
    login.stream?.close({ by: 'admin', reason: 'terminated', message: 'ended by an administrator' })
    expect(await session.whenClosed()).toMatchObject({ reason: 'terminated' })
    await until(() => streams.processCount === 0)
  })

  test('starts in the home directory with default signals', async () => {
    const { gateway } = startAgent()
    const { stdout } = await run(gateway, 'pwd -P; grep -E "^Sig(Ign|Blk)" /proc/self/status')
    const lines = stdout.trim().split('\n')
    expect(lines[0]).toBe(ACCOUNT.home)
    expect(lines.slice(1, 3).map((line) => line.split('\t')[1])).toEqual(['0000000000000000', '0000000000000000'])
  })

  test('leaves no descriptor behind', async () => {
    const { gateway } = startAgent()
    expect((await run(gateway, 'ls /proc/self/fd')).stdout.split('\n').slice(0, 4)).toEqual(['0', '1', '2', '3'])
  })
})

test('leaves no descriptor in the agent after sessions have ended', async () => {
  const { gateway } = startAgent()
  await run(gateway, 'true')
  const descriptors = () => readdirSync('/proc/self/fd').length
  const before = descriptors()
  for (let round = 0; round < 10; round += 1) {
    await run(gateway, 'echo x')
    await run(gateway, 'echo x', { pty: TERMINAL })
  }
  await until(() => descriptors() <= before)
  expect(descriptors()).toBeLessThanOrEqual(before)
})

describe('a session with a terminal', () => {
  test('starts a login shell on the controlling terminal, with job control', async () => {
    const { gateway } = startAgent()
    const login = await logIn(gateway)
    const session = openSession(gateway, login, { pty: TERMINAL })
    session.stream.write(Buffer.from('echo "<$0>"; tty; stty size; echo $TERM $SSH_TTY; exit 9\n'))
    expect(await exitOfSession(session)).toEqual({ type: 'exit', status: 9 })
    expect(session.messages[0]).toEqual(started)
    expect(session.text()).toMatch(/<-\w*sh>\r\n(\/dev\/pts\/\d+)\r\n24 80\r\nxterm \1/)
    expect(session.text(1)).toBe('')
  })

  test('accepts a long terminal type', async () => {
    const { gateway } = startAgent()
    const term = 'x'.repeat(300)
    const { stdout } = await run(gateway, 'echo "<$TERM>"', { pty: { ...TERMINAL, term } })
    expect(stdout).toBe(`<${term}>\r\n`)
  })

  test('follows the client’s window size', async () => {
    const { gateway } = startAgent()
    const login = await logIn(gateway)
    const command = 'trap "stty size; exit" WINCH; echo ready; while :; do sleep 0.01; done'
    const session = openSession(gateway, login, { pty: TERMINAL, run: exec(command) })
    await until(() => session.text().includes('ready'))
    session.stream.control({ type: 'window-change', columns: 132, rows: 50, width: 0, height: 0 })
    await session.whenClosed()
    expect(session.text()).toContain('50 132')
  })

  test('applies the client’s terminal modes', async () => {
    const { gateway } = startAgent()
    // VINTR = ^A, ECHO off, ONLCR off.
    const modes = Buffer.from([1, 0, 0, 0, 1, 53, 0, 0, 0, 0, 72, 0, 0, 0, 0, 0]).toString('base64')
    const { stdout } = await run(gateway, 'stty -a', { pty: { ...TERMINAL, modes } })
    expect(stdout).toMatch(/intr = \^A/)
    expect(stdout).toMatch(/(^|\s)-echo\s/)
    expect(stdout).toMatch(/-onlcr/)
    expect(stdout).not.toContain('\r')
  })

  test('loses no output of a process that exits at once', async () => {
    const { gateway } = startAgent()
    for (let round = 0; round < 10; round += 1) {
      const { stdout } = await run(gateway, 'seq 20000', { pty: TERMINAL })
      expect(stdout.endsWith('19999\r\n20000\r\n')).toBe(true)
    }
  })

  test('loses no output when the reader is slower than the process', async () => {
    const { gateway } = startAgent({ windowBytes: 4_096 })
    const login = await logIn(gateway)
    const session = openSession(gateway, login, { run: exec('seq 5000'), pty: TERMINAL }, { consume: false })
    let consumed = 0
    while (!session.cause) {
      await new Promise((resolve) => setImmediate(resolve))
      session.stream.consumed(session.bytes().length - consumed)
      consumed = session.bytes().length
    }
    expect(session.text().endsWith('4999\r\n5000\r\n')).toBe(true)
    expect(session.text().split('\r\n').length).toBe(5_001)
  })

  test('ends with its leader although something else keeps the terminal open', async () => {
    const { gateway } = startAgent()
    const { exit, stdout } = await run(gateway, 'trap "" HUP; sleep 1000 & echo $!', { pty: TERMINAL })
    expect(exit).toEqual({ type: 'exit', status: 0 })
    process.kill(Number(stdout.trim()), 'SIGKILL')
  })

  test('interrupts the foreground process on break', async () => {
    const { gateway } = startAgent()
    const login = await logIn(gateway)
    const command = 'trap "exit 130" INT; echo ready; while :; do sleep 0.01; done'
    const session = openSession(gateway, login, { run: exec(command), pty: TERMINAL })
    await until(() => session.text().includes('ready'))
    session.stream.control({ type: 'break', lengthMs: 500 })
    expect(await exitOfSession(session)).toEqual({ type: 'exit', status: 130 })
  })

  test('blocks neither the agent nor its own end when it reads no input', async () => {
    const { gateway, streams } = startAgent()
    const login = await logIn(gateway)
    const session = openSession(gateway, login, {
      run: exec('stty raw -echo; echo ready; kill -STOP $$'),
      pty: TERMINAL,
    })
    await until(() => session.text().includes('ready'))
    session.stream.write(Buffer.alloc(250_000, 'x'))
    expect((await run(gateway, 'echo meanwhile')).stdout).toBe('meanwhile\n')
    session.stream.close(undefined, 'drop')
    await until(() => streams.processCount === 0)
  })

  test('receives a large input completely at its own pace', async () => {
    const { gateway } = startAgent()
    const login = await logIn(gateway)
    const command = 'stty raw -echo; echo ready; head -c 1000000 | md5sum'
    const session = openSession(gateway, login, { run: exec(command), pty: TERMINAL })
    await until(() => session.text().includes('ready'))
    const input = randomBytes(1_000_000)
    session.stream.write(input)
    await session.whenClosed()
    expect(session.text()).toContain(createHash('md5').update(input).digest('hex'))
  })

  test('hangs up a terminal’s process when its client has disconnected', async () => {
    const { gateway, log, errors } = startAgent()
    const login = await logIn(gateway)
    const session = openSession(gateway, login, { pty: TERMINAL })
    session.stream.write(Buffer.from('echo "<$$>"; sleep 1000\n'))
    await until(() => /<\d+>/.test(session.text()))
    session.stream.close()
    await until(() => log.some(({ ev }) => ev === 'session.ended'))
    expect(errors).toEqual([])
  })

  test('keeps running when it ignores the hang-up (nohup)', async () => {
    const clock = new ManualClock()
    const { gateway, streams, errors } = startAgent({ clock })
    const login = await logIn(gateway)
    const command = `trap "" HUP; echo ready; until [ -e ${mark()} ]; do sleep 0.01; done; echo >${mark()}.done`
    const session = openSession(gateway, login, { run: exec(command), pty: TERMINAL })
    await until(() => session.text().includes('ready'))
    session.stream.close({ by: 'network', reason: 'lost', message: '' })
    await until(() => streams.processCount === 0)
    await clock.advanceAsync(60_000)
    writeFileSync(mark(), '')
    await until(() => existsSync(`${mark()}.done`))
    expect(errors).toEqual([])
  })
})
