// Page of one session: who, from where, what happened, why it ended, and its actions.
import { ApiError } from '@bowline/contract/client'
import { SessionUid } from '@bowline/contract/schemas/common'
import type { Session } from '@bowline/contract/schemas/session'
import { useQuery } from '@tanstack/react-query'
import { Link, getRouteApi } from '@tanstack/react-router'
import { Unplug } from 'lucide-react'
import { useRuntime } from '../../core/context.tsx'
import { recentSessions } from '../../core/recent/recent.ts'
import { useRemembered } from '../../core/recent/use-remembered.ts'
import { BackLink } from '../../ui/page/back-link.tsx'
import { CopyButton } from '../../ui/text/copy-button.tsx'
import { EmptyState } from '../../ui/feedback/empty-state.tsx'
import { ErrorPanel } from '../../ui/feedback/error-panel.tsx'
import { Fact, FactColumns, Facts } from '../../ui/page/facts.tsx'
import { Skeleton, Stack } from '../../ui/kit.ts'
import { formatExactMoment } from '../../ui/text/numbers.ts'
import { Page } from '../../ui/page/page.tsx'
import { formatPosition } from '../../ui/list/position.ts'
import { StatusDot } from '../../ui/text/status-dot.tsx'
import { endedBecause } from './cause/ended-because.ts'
import { EndedBy } from './cause/ended-by.tsx'
import { EndButton } from './actions/end-button.tsx'
import { JoinButton } from './actions/join-button.tsx'
import { sessionsMessages as texts } from './messages.ts'
import { sessionQuery } from './queries.ts'
import { shownMethod } from './search.ts'
import { SessionDuration } from './session-cells.tsx'
import { SessionPerson } from './session-identity.tsx'
import { nameOf } from './session-name.ts'
import { SessionRecordings } from './session-recordings.tsx'
import { SessionTimeline } from './session-timeline.tsx'
import { WatchedBy } from './watched-by.tsx'

const route = getRouteApi('/app/sessions/$uid')
const TRAIL = <BackLink to="/sessions" label={texts.back} />

export function SessionPage() {
  const { uid } = route.useParams()
  const { api } = useRuntime()
  const isUid = SessionUid.safeParse(uid).success
  const query = useQuery({ ...sessionQuery(api, uid), enabled: isUid })
  if (!isUid || (query.error instanceof ApiError && query.error.status === 404)) {
    return (
      <Page title={texts.gone} trail={TRAIL}>
        <EmptyState icon={<Unplug size={24} />} text={texts.goneText} />
      </Page>
    )
  }
  if (query.data) return <KnownSession session={query.data} />
  return (
    <Page title={texts.title} trail={TRAIL}>
      {query.isError ? (
        <ErrorPanel title={texts.sessionFailed} error={query.error} onRetry={() => query.refetch()} />
      ) : (
        <Skeleton height={280} />
      )}
    </Page>
  )
}

function KnownSession({ session }: { readonly session: Session }) {
  const { facts } = texts
  const { active, closed, device } = session
  const where = formatPosition(session.position)
  useRemembered(recentSessions, { uid: session.uid, name: nameOf(session) })
  return (
    <Page
      title={nameOf(session)}
      trail={TRAIL}
      mark={
        <>
          <StatusDot on={active} label={active ? texts.active : texts.ended} text />
          <WatchedBy watchers={session.watchers} />
        </>
      }
      actions={
        <>
          <JoinButton session={session} />
          <EndButton session={session} />
        </>
      }
    >
      <Stack gap="md">
        <FactColumns>
          <Facts title={texts.connection}>
            <Fact name={facts.user}>
              <code>{session.username}</code>
            </Fact>
            <Fact name={facts.device}>
              {device ? (
                <Link to="/devices/$uid" params={{ uid: device.uid }}>
                  {device.name}
                </Link>
              ) : (
                texts.removedDevice
              )}
            </Fact>
            {session.person || session.method ? (
              <Fact name={facts.person}>
                <SessionPerson session={session} />
              </Fact>
            ) : null}
            {session.method ? (
              <Fact name={facts.how}>{texts.methods[shownMethod(session.method, session.type)]}</Fact>
            ) : null}
            {session.second_factor ? <Fact name={facts.factor}>{texts.factors[session.second_factor]}</Fact> : null}
            {session.key ? (
              <Fact name={facts.key}>
                <Link to="/public-keys" search={{ page: 1, q: session.key.fingerprint }}>
                  {session.key.name}
                </Link>{' '}
                <code>{session.key.fingerprint}</code>
                <CopyButton text={session.key.fingerprint} what={texts.fingerprintWhat} />
              </Fact>
            ) : null}
            {session.command === '' ? null : (
              <Fact name={facts.command}>
                <code>{session.command}</code>
              </Fact>
            )}
            <Fact name={facts.from}>
              <code>{session.ip_address}</code>
            </Fact>
            {where === undefined ? null : <Fact name={facts.position}>{where}</Fact>}
            <Fact name={facts.type}>{texts.types[session.type]}</Fact>
            {session.term === '' ? null : (
              <Fact name={facts.term}>
                <code>{session.term}</code>
              </Fact>
            )}
            {session.authenticated ? null : <Fact name={facts.authenticated}>{texts.no}</Fact>}
            <Fact name={facts.started}>{formatExactMoment(session.started_at)}</Fact>
            {closed ? <Fact name={facts.ended}>{formatExactMoment(closed.at)}</Fact> : null}
            <Fact name={facts.duration}>
              <SessionDuration session={session} />
            </Fact>
            {closed ? (
              <>
                <Fact name={facts.because}>{endedBecause(closed)}</Fact>
                <Fact name={facts.by}>
                  <EndedBy session={session} closed={closed} />
                </Fact>
              </>
            ) : null}
            <Fact name={facts.id}>
              <code>{session.uid}</code>
              <CopyButton text={session.uid} what={texts.idWhat} />
            </Fact>
          </Facts>
          <SessionTimeline session={session} />
        </FactColumns>
        {session.recorded ? <SessionRecordings session={session} /> : null}
      </Stack>
    </Page>
  )
}
