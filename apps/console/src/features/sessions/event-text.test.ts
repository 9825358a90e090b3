import { expect, it } from 'vitest'
import { eventText } from './event-text.ts'

it.each([
  ['firewall', { rule: 2, action: 'allow' }, 'rule 2 allows it'],
  ['firewall', { rule: null, action: 'allow' }, 'no rule matches'],
  ['firewall', { rule: 3, action: 'deny' }, 'rule 3 denies it'],
  ['pty-req', { term: 'xterm-256color', columns: 120, rows: 40, width: 0, height: 0 }, 'xterm-256color · 120×40'],
  ['pty-req', { term: 'dumb', columns: 0, rows: 0 }, 'dumb'],
  ['window-change', { columns: 80, rows: 24 }, '80×24'],
  ['shell', {}, ''],
  ['exec', { command: 'uname -a' }, 'uname -a'],
  ['exit-status', { status: 0 }, '0'],
  ['exit-signal', { status: 'KILL', dumped: false, message: 'out of memory', lang: '' }, 'KILL · out of memory'],
  ['direct-tcpip', { host: 'localhost', port: 5432 }, 'localhost:5432'],
  ['forward-end', { target: 'a:1', to_device: 2_000, to_person: 9_000, ms: 3_000 }, 'a:1 · 2 kB in, 9 kB out · 3 s'],
  [
    'file',
    { operation: 'upload', path: '/a', bytes: 2_000, sha256: 'ab', result: 'ok' },
    'upload /a · 2 kB · SHA-256 ab',
  ],
  ['file', { operation: 'rename', path: '/a', to: '/b', result: 'no such file' }, 'rename /a → /b · no such file'],
  ['join-end', { by: 'ada', reason: 'join-left', typed: 0 }, 'ada · left · typed nothing'],
  ['join-end', { by: 'ada', reason: 'join-over', typed: 3 }, 'ada · the session ended · typed 3 bytes'],
  ['join-end', { by: 'ada', reason: 'of a newer server', typed: 0 }, 'ada · of a newer server · typed nothing'],
  ['join-denied', { by: 'ada', reason: 'join-left' }, 'ada · request withdrawn'],
  ['join-denied', { by: 'ada', reason: 'join-over' }, 'ada · the session ended'],
  ['join-input', { by: 'ada' }, 'ada'],
  ['watch', { by: 'ada' }, 'ada'],
  ['exec', { command: 7 }, 'command: 7'],
  ['constructor', { x: { y: 1 } }, 'x: {"y":1}'],
  ['shell', null, ''],
])('describes %s with %j as: %s', (type, data, text) => {
  expect(eventText(type, data)).toBe(text)
})
