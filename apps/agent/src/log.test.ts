import { expect, test } from 'vitest'
import { createLog } from './log.ts'

function capture(level: Parameters<typeof createLog>[0], human: boolean) {
  const lines: string[] = []
  return {
    lines,
    log: createLog(
      level,
      (line) => lines.push(line),
      human,
      () => 0,
    ),
  }
}

test('writes one JSON object with its event per line', () => {
  const { lines, log } = capture('info', false)
  log.warn('login.denied', { user: 'a"b\nc', missing: undefined })
  expect(lines).toEqual([
    '{"time":"1970-01-01T00:00:00.000Z","level":"warn","ev":"login.denied","msg":"a login was denied","user":"a\\"b\\nc"}\n',
  ])
})

test('omits entries below the level', () => {
  const { lines, log } = capture('warn', false)
  log.info('agent.started')
  log.error('agent.crashed')
  expect(lines.length).toBe(1)
  const silent = capture('silent', false)
  silent.log.error('agent.crashed')
  expect(silent.lines).toEqual([])
})

test('writes human-readable lines without untrusted control characters', () => {
  const { lines, log } = capture('info', true)
  log.info('login.denied', { user: '\u001b[2J\n', count: 2 })
  expect(lines).toEqual(['00:00:00 info  a login was denied user="\\u001b[2J\\n" count=2\n'])
})

test('adds the fields of a child to each of its lines', () => {
  const { lines, log } = capture('info', false)
  log.child({ session: 's1' }).info('session.ended', { pid: 7 })
  expect(lines).toEqual([
    '{"time":"1970-01-01T00:00:00.000Z","level":"info","ev":"session.ended","msg":"a process ended","session":"s1","pid":7}\n',
  ])
})
