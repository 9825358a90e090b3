// Web terminals: a call issues a ticket, and a WebSocket redeems it. Our own protocol is described in
// terminal/messages.ts; `/ws/ssh` is the protocol of existing clients.
import * as z from 'zod'
import { operation } from '../operation.ts'
import { DeviceUid } from '../schemas/common.ts'
import { Fingerprint } from '../schemas/public-key.ts'

/** Account on a device. Names that no system allows would only confuse logs and SSHIDs. */
export const DeviceAccount = z
  .string()
  .min(1, 'is required')
  .max(256, 'must have at most 256 characters')
  // Spelled out: not every consumer of the document supports Unicode classes.
  .regex(
    // oxlint-disable-next-line no-control-regex -- control characters are what the rule is about
    /^[^\u0000-\u0020\u007f-\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]*$/,
    'must not have spaces or control characters',
  )

export const terminals = {
  open: operation({
    method: 'POST',
    path: '/api/devices/{uid}/terminal',
    noun: 'terminals',
    summary: 'A ticket that opens one terminal on a device at /ws/terminal',
    access: { kind: 'member', permission: 'deviceConnect', keys: true },
    params: z.object({ uid: DeviceUid }),
    body: z.object({ username: DeviceAccount }),
    response: z.object({
      ticket: z.string(),
      /** Seconds. */
      expires_in: z.int(),
    }),
    errors: ['NOT_FOUND', 'TOO_MANY_REQUESTS', 'FRESH_PROOF_REQUIRED', 'USER_TOKEN_REQUIRED'],
  }),
  openLegacy: operation({
    method: 'POST',
    path: '/ws/ssh',
    noun: 'terminals',
    summary:
      'A token that opens one terminal on a device at GET /ws/ssh; with a password, or with the fingerprint of a key',
    // As public as the SSH port: existing clients send no credential, and the gateway checks the one in the body.
    access: { kind: 'public' },
    body: z
      .object({
        device: DeviceUid,
        username: DeviceAccount,
        password: z.string().max(1_024).optional(),
        fingerprint: z.union([Fingerprint, z.literal('')]).optional(),
        /** Base64 of the key's signature over the user name; absent: the WebSocket asks for one over a challenge. */
        signature: z.union([z.base64().max(4_096), z.literal('')]).optional(),
      })
      .refine(({ password, fingerprint }) => password !== undefined || fingerprint, {
        path: ['password'],
        error: 'is required unless there is a fingerprint',
      }),
    response: z.object({ token: z.string() }),
    deprecated: true,
    errors: ['TOO_MANY_REQUESTS'],
  }),
}
