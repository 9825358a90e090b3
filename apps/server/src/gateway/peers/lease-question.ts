// The question of a node that cannot reach the database: for how long the other has renewed its own lease. One stream
// for each question, answered by one control message. Nodes of earlier versions refuse the stream.
import * as z from 'zod'
import type { Clock } from '@bowline/base/clock'
import type { Link, LinkCause, LinkStream, StreamHandler } from '@bowline/link/api'
import type { LeaseAnswer } from '../../nodes/cut-off.ts'

/** Time for an answer. The other node reads it from memory. */
const ANSWER_MS = 1_500

const Answer = z.object({ steadyMs: z.number().min(0) })
const ANSWERED: LinkCause = { by: 'gateway', reason: 'done', message: '' }

/** Asks a node. @param link the standing link with it; undefined where there is none */
export function askForLease(link: Link | undefined, clock: Clock): Promise<LeaseAnswer> {
  if (!link) return Promise.resolve('unreachable')
  return new Promise((resolve) => {
    const cancel = clock.after(ANSWER_MS, () => {
      resolve('unreachable')
      stream.close(ANSWERED, 'drop')
    })
    const settle = (answer: LeaseAnswer): void => {
      cancel()
      resolve(answer)
    }
    const stream = link.open(
      'lease',
      {},
      {
        data: () => undefined,
        control(message) {
          const answer = Answer.safeParse(message)
          settle(answer.success ? answer.data : 'unknown')
          stream.close(ANSWERED, 'drop')
        },
        closed: ({ by, fromPeer }) => settle(fromPeer && by !== 'network' ? 'unknown' : 'unreachable'),
      },
    )
  })
}

/** Answers a node. @param steadyMs for how long this node has renewed its lease without a gap; 0 if it cannot now */
export function answerForLease(stream: LinkStream, steadyMs: number): StreamHandler {
  stream.control({ steadyMs })
  stream.close(ANSWERED)
  return { data: () => undefined, closed: () => undefined }
}
