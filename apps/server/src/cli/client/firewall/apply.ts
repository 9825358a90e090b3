// Makes one change of the firewall rules, and says what was done.
import { operations } from '@bowline/contract/operations'
import type { RuleChange } from '@bowline/contract/schemas/policy/rule-changes'
import type { ServerClient } from '../client.ts'

const { firewall } = operations

/** @returns what was done, in words */
export async function make({ call }: ServerClient, change: RuleChange): Promise<string> {
  if (change.kind === 'add') return `Added rule ${(await call(firewall.create, { body: change.body })).body.id}.`
  const { kind, id } = change
  if (kind === 'remove') {
    await call(firewall.remove, { params: { id } })
    return `Removed rule ${id}.`
  }
  await call(firewall.update, { params: { id }, body: change.body })
  return `Replaced rule ${id}.`
}
