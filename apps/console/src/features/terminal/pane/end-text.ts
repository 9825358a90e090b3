// Why a terminal ended, for the person in front of it.
import { causeText, isDeviceLost } from '../../sessions/cause/cause-text.ts'
import { terminalMessages as texts } from '../messages.ts'
import { sharingMessages } from '../sharing/messages.ts'
import type { PaneState } from './pane-session.ts'

/** The end of the program, else what the server says, else what the page knows of the connection. */
export function endText({ cause, exit }: Extract<PaneState, { kind: 'ended' }>): string {
  if (exit?.signal !== undefined) return texts.killed(exit.signal)
  if (exit?.status !== undefined) return texts.exited(exit.status)
  if (cause.reason === 'not-resumed') return texts.lost
  if (cause.reason === 'unreachable') return texts.failedToConnect
  if (isOfJoining(cause.reason)) return sharingMessages.ends[cause.reason]
  const said = causeText(cause)
  if (said !== '') return said
  return cause.by === 'user' ? texts.endedBy.user : texts.endedBy.unknown
}

/** What can be done about the end; '' when there is nothing to say. */
export function endHint({ cause, exit }: Extract<PaneState, { kind: 'ended' }>): string {
  return exit === undefined && isDeviceLost(cause) ? texts.onceOnline : ''
}

function isOfJoining(reason: string): reason is keyof typeof sharingMessages.ends {
  return Object.hasOwn(sharingMessages.ends, reason)
}
