// Words for what a request is about.
import type { AccessRequest } from '@bowline/contract/operations/fleet/access-requests'
import { accessMessages as texts } from './messages.ts'

export function nameOfTarget({ device, tag }: Pick<AccessRequest, 'device' | 'tag'>): string {
  return device?.name ?? texts.tagged(tag ?? '')
}
