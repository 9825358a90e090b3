// Settings of the namespace that both servers have.
import { operations } from '@bowline/contract/operations'
import type { TenantId } from '@bowline/contract/schemas/common'
import type { ServerClient } from '../client/client.ts'
import { refusalOf } from './calls.ts'
import type { OldNamespace } from './file.ts'
import type { Line } from './report.ts'

/** @param call undefined: nothing is sent */
export async function importSettings(
  call: ServerClient['call'] | undefined,
  tenant: TenantId,
  { session_record, connection_announcement }: OldNamespace,
  isDryRun: boolean,
): Promise<Line[]> {
  const params = { tenant }
  const here = call && (await call(operations.namespaces.get, { params })).body.settings
  const lines: Line[] = []
  for (const settings of [{ session_record }, { connection_announcement }]) {
    const [[name, value] = ['', '']] = Object.entries(settings)
    const line = { what: 'setting', name, reason: null }
    const isSame = here && Object.entries(here).some(([key, present]) => key === name && present === value)
    if (isSame) lines.push({ ...line, outcome: 'unchanged' })
    else if (!call || isDryRun) lines.push({ ...line, outcome: 'changed' })
    else {
      try {
        await call(operations.namespaces.update, { params, body: { settings } })
        lines.push({ ...line, outcome: 'changed' })
      } catch (error) {
        lines.push({ ...line, outcome: 'refused', reason: refusalOf(error) })
      }
    }
  }
  return lines
}
