// Internal calls between the nodes of an installation, with the node secret. Never published.
import { z } from 'zod'
import { operation } from '../operation.ts'
import { DeviceUid } from '../schemas/common.ts'
import { Device } from '../schemas/device.ts'

export const internal = {
  markOffline: operation({
    method: 'POST',
    path: '/internal/devices/{uid}/offline',
    noun: 'internal',
    summary: 'Mark a device as offline until its next link',
    access: { kind: 'internal' },
    params: z.object({ uid: DeviceUid }),
    errors: ['NOT_FOUND'],
  }),
  lookup: operation({
    method: 'GET',
    path: '/internal/lookup',
    noun: 'internal',
    summary: 'The accepted device of that name in the namespace of that name',
    access: { kind: 'internal' },
    query: z.object({
      domain: z.string().min(1, 'is required').max(255),
      name: z.string().min(1, 'is required').max(255),
    }),
    response: Device,
    errors: ['NOT_FOUND'],
  }),
}
