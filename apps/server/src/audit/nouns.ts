// What actions in the log of a namespace are about.
import type { AuditAction } from './service.ts'

type Noun = AuditAction extends `${infer Noun}.${string}` ? Noun : never

const NOUNS: Readonly<Record<Noun, true>> = {
  'access-request': true,
  'agent-update': true,
  'alert-rule': true,
  'api-key': true,
  'audit-stream': true,
  billing: true,
  connector: true,
  device: true,
  'firewall-rule': true,
  'held-login': true,
  'install-key': true,
  member: true,
  namespace: true,
  'public-key': true,
  recording: true,
  role: true,
  scim: true,
  'scim-token': true,
  session: true,
  snippet: true,
  tag: true,
  'tag-rule': true,
  tunnel: true,
}

/** Whether some action begins with it, such as `device`. */
export const isAuditNoun = (noun: string): boolean => Object.hasOwn(NOUNS, noun)
