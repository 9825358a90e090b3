// Install keys. A key is identified by its name in the path.
import * as z from 'zod'
import { operation } from '../../operation.ts'
import { Page } from '../../schemas/common.ts'
import { InstallKey, InstallKeyBody, InstallKeyName } from '../../schemas/fleet/install-key.ts'

export const installKeys = {
  create: operation({
    method: 'POST',
    path: '/api/install-keys',
    noun: 'install-keys',
    summary: 'Create an install key; it is shown this once',
    access: { kind: 'member', permission: 'installKeyCreate', keys: true },
    body: InstallKeyBody,
    response: InstallKey.extend({ key: z.string() }).meta({ id: 'NewInstallKey' }),
    errors: ['NAMESPACE_FULL', 'CONFLICT', 'FRESH_PROOF_REQUIRED', 'POLICY_CHANGE'],
  }),
  list: operation({
    method: 'GET',
    path: '/api/install-keys',
    noun: 'install-keys',
    summary: 'Install keys of the namespace, newest first',
    access: { kind: 'member', keys: true },
    query: Page,
    response: z.array(InstallKey),
    total: true,
  }),
  remove: operation({
    method: 'DELETE',
    path: '/api/install-keys/{install_key}',
    noun: 'install-keys',
    summary: 'Delete an install key; devices that used it stay',
    access: { kind: 'member', permission: 'installKeyDelete', keys: true },
    params: z.object({ install_key: InstallKeyName }),
    errors: ['NOT_FOUND'],
  }),
}
