import { expect, it } from 'vitest'
import { saidIn } from './verbs.ts'

it.each([
  ['connect vm-12', 'connect', 'vm-12'],
  ['Connect  to  VM-12 ', 'connect', 'VM-12'],
  ['ssh lab nas', 'connect', 'lab nas'],
  ['open terminal vm-12', 'connect', 'vm-12'],
  ['open vm-12', 'open', 'vm-12'],
  ['tag device-7', 'tag', 'device-7'],
  ['rename x', 'rename', 'x'],
  ['accept dev', 'accept', 'dev'],
  ['reject dev', 'reject', 'dev'],
  ['delete x', 'remove', 'x'],
  ['files vm', 'files', 'vm'],
  ['run vm', 'run', 'vm'],
  ['run command on vm', 'run', 'vm'],
  ['copy ssh vm', 'copySsh', 'vm'],
  ['tunnel vm', 'tunnel', 'vm'],
  ['watch ada', 'watch', 'ada'],
  ['replay root@vm', 'play', 'root@vm'],
  ['terminate root@vm', 'end', 'root@vm'],
  ['end session', 'end', ''],
  ['connect', 'connect', ''],
  ['vm-12 connect', 'connect', 'vm-12'],
])('reads %j as the action %s on %j', (words, verb, object) => {
  expect(saidIn(words)).toEqual({ verb, object })
})

it.each([
  ['conect vm-12', 'connect', 'vm-12'],
  ['Cnonect  VM-12', 'connect', 'VM-12'],
  ['opne vm-12', 'open', 'vm-12'],
  ['rnu command vm', 'run', 'vm'],
])('guesses %j as the action %s on %j', (words, verb, object) => {
  expect(saidIn(words)).toEqual({ verb, object, isGuess: true })
})

it.each(['conect', 'conect ', 'tga vm', 'rn vm', 'remote vm', 'terminte vm', 'front end'])(
  'does not guess an action in %j',
  (words) => {
    expect(saidIn(words)).toBeUndefined()
  },
)

it.each(['', 'vm-12', 'connector', 'connect-box', 'tags', 'untag', 'garden tunnel'])(
  'reads %j as no action',
  (words) => {
    expect(saidIn(words)).toBeUndefined()
  },
)
