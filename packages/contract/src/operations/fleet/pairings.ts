// Pairing of devices with a namespace by a code that the device shows. The agent's calls need no credential: the device's
// key signs the first, and the secret of its answer authorizes the second.
import * as z from 'zod'
import { operation } from '../../operation.ts'
import {
  PairedDevice,
  PairedNamespace,
  PairingBody,
  PairingCode,
  TypedCode,
  WaitingPairing,
} from '../../schemas/fleet/pairing.ts'
import { DeviceName } from '../devices.ts'

const anyone = { kind: 'public' } as const
const acceptor = { kind: 'member', permission: 'deviceAccept', keys: true } as const

export const pairings = {
  start: operation({
    method: 'POST',
    path: '/api/pairings',
    noun: 'pairings',
    summary: 'Ask for a code that adds the device to a namespace; used by agents',
    access: anyone,
    body: PairingBody,
    response: PairingCode,
    errors: ['TOO_MANY_REQUESTS'],
  }),
  poll: operation({
    method: 'POST',
    path: '/api/pairings/poll',
    noun: 'pairings',
    summary: 'The namespace that the device was added to; used by agents that wait',
    access: anyone,
    body: z.object({ device_code: z.string().min(1, 'is required').max(128) }),
    response: PairedNamespace,
    errors: ['CODE_PENDING', 'CODE_TOO_FAST', 'CODE_EXPIRED', 'TOO_MANY_REQUESTS'],
  }),
  describe: operation({
    method: 'POST',
    path: '/api/pairings/describe',
    noun: 'pairings',
    summary: 'The device that waits under a code, to compare before it is added',
    access: acceptor,
    body: z.object({ code: TypedCode }),
    response: WaitingPairing,
    errors: ['NOT_FOUND', 'TOO_MANY_REQUESTS'],
  }),
  confirm: operation({
    method: 'POST',
    path: '/api/pairings/confirm',
    noun: 'pairings',
    summary: 'Add the device that waits under a code, and accept it',
    access: acceptor,
    body: z.object({
      code: TypedCode,
      /** Of the key of the device that is meant. */
      fingerprint: z.string().min(1, 'is required').max(128),
      /** Name instead of the device's own. */
      name: DeviceName.optional(),
    }),
    response: PairedDevice,
    errors: [
      'FRESH_PROOF_REQUIRED',
      'NOT_FOUND',
      'DEVICE_NAME_TAKEN',
      'DEVICE_LIMIT',
      'PAYMENT_REQUIRED',
      'POLICY_CHANGE',
      'TOO_MANY_REQUESTS',
    ],
  }),
}
