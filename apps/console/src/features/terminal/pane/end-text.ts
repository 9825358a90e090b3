// Why a terminal ended, for the person in front of it.
import { serverText } from '../../../platform/language/server-text.ts'
import { terminalMessages as texts } from '../messages.ts'
import { sharingMessages } from '../sharing/messages.ts'
import type { PaneState } from './pane-session.ts'

/** The end of the program, else what the server says, else what the page knows of the connection. */
export function endText({ cause, exit }: Extract<PaneState, { kind: 'ended' }>): string {
  if (exit?.signal !== undefined) return texts.killed(exit.signal)
  if (exit?.status !== undefined) return texts.exited(exit.status)
  if (cause.reason === 'connection-lost') return texts.lost
  if (isOfJoining(cause.reason)) return sharingMessages.ends[cause.reason]
  if (cause.message !== '') return serverText(cause.message)
  if (cause.by === 'network') return texts.failedToConnect
  return cause.by === 'user' ? texts.endedBy.user : texts.endedBy.unknown
}

function isOfJoining(reason: string): reason is keyof typeof sharingMessages.ends {
  return Object.hasOwn(sharingMessages.ends, reason)
}
