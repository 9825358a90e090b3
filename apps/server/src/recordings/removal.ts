// Removal of recordings with their device or namespace: rows are deleted by foreign keys; the ledger entry is written
// here, last in the same transaction.
import { auditActor } from '../audit/service.ts'
import type { RecordingRemoval } from '../context.ts'
import type { Ledger } from './ledger/ledger.ts'
import { hasStartEntries } from './ledger/store.ts'

export function recordingRemoval(ledger: Ledger): RecordingRemoval {
  return {
    async deviceRemoved(ctx, device) {
      if (!(await hasStartEntries(ctx.db, ctx.tenant, device))) return
      await ledger.appendIn(ctx, { kind: 'remove-device', device, by: auditActor(ctx.actor) })
    },
    async namespaceRemoved(ctx) {
      if (!(await hasStartEntries(ctx.db, ctx.tenant))) return
      await ledger.appendIn(ctx, { kind: 'remove-namespace', by: auditActor(ctx.actor) })
    },
  }
}
