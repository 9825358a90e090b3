// Facts about a terminal's session.
import { sessions } from '@bowline/contract/operations/sessions'
import { SessionUid } from '@bowline/contract/schemas/common'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useRuntime, useStore } from '../../../core/context.tsx'
import { createStore } from '../../../platform/store.ts'
import { Text } from '../../../ui/kit.ts'
import { formatCount } from '../../../ui/text/numbers.ts'
import { TimeAgo } from '../../../ui/text/time-ago.tsx'
import { terminalMessages as texts } from '../messages.ts'
import type { Pane } from './pane.ts'
import classes from '../terminal.module.css'

const NOT_MEASURED = createStore<number | undefined>(undefined)

export function SessionFacts({ pane }: { readonly pane: Pane }) {
  const { api } = useRuntime()
  const remote = pane.remote()
  const uid = SessionUid.safeParse(remote?.session()).data
  const roundTrip = useStore(remote?.roundTripMs ?? NOT_MEASURED)
  const { data: session } = useQuery({
    queryKey: ['session of a terminal', uid],
    queryFn: async ({ signal }) => uid && (await api.call(sessions.get, { params: { uid }, signal })).body,
    enabled: uid !== undefined,
  })
  const { columns, rows } = pane.screen.size()
  const words = texts.sessionFacts
  const facts: readonly (readonly [string, ReactNode])[] = [
    [words.device, pane.device.name],
    [words.user, pane.user()],
    [words.started, session ? <TimeAgo key="started" time={session.started_at} /> : '…'],
    [words.recorded, session ? (session.recorded ? words.yes : words.no) : '…'],
    [words.roundTrip, roundTrip === undefined ? words.unknown : words.milliseconds(formatCount(Math.round(roundTrip)))],
    [words.size, `${columns} × ${rows}`],
  ]
  return (
    <>
      <Text fw={600} size="sm" mb="xs">
        {texts.info}
      </Text>
      <dl className={`${classes['keys']} ${classes['facts']}`}>
        {facts.map(([name, value]) => (
          <div key={name} className={classes['fact']}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <Text size="xs" mt="sm">
        <Link to="/sessions">{words.opened}</Link>
      </Text>
    </>
  )
}
