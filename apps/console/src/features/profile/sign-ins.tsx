// Living sign-ins of the signed-in person: where, with what, and the end of each.
import { users } from '@bowline/contract/operations/users'
import type { SignIn } from '@bowline/contract/schemas/sign-in'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { noteSignOut } from '../../auth/sign-in-provider.ts'
import { useRuntime } from '../../core/context.tsx'
import { useAction } from '../../core/use-action.ts'
import { listPage } from '../../live/list-page.ts'
import { Button, Group, Text } from '../../ui/kit.ts'
import type { Column } from '../../ui/list/data-table.tsx'
import { PagedTable } from '../../ui/list/paged-table.tsx'
import cells from '../../ui/list/cells.module.css'
import { SectionCard } from '../../ui/page/section-card.tsx'
import { browserName } from '../../ui/text/browser-name.ts'
import { TimeAgo } from '../../ui/text/time-ago.tsx'
import { IdentitiesStay } from './identities.tsx'
import { profileMessages as texts } from './messages.ts'

const PER_PAGE = 10
const LISTS = ['own-sign-ins'] as const

const COLUMNS: readonly Column<SignIn>[] = [
  {
    id: 'what',
    header: texts.signInColumns.what,
    cell: ({ browser, user_agent, kind, current }) => (
      <span title={user_agent}>
        {browser === '' ? texts.unknownProgram : browserName(browser)}
        {kind === 'browser' ? '' : ` ${texts.ofProgram[kind]}`}
        {current ? <strong> {texts.thisOne}</strong> : null}
      </span>
    ),
  },
  {
    id: 'from',
    header: texts.signInColumns.from,
    cell: ({ source, place }) => (
      <>
        {place === '' ? null : `${place} `}
        <span className={cells['mono']}>{source}</span>
      </>
    ),
  },
  {
    id: 'used',
    header: texts.signInColumns.used,
    width: '8rem',
    cell: ({ last_seen }) => <TimeAgo time={last_seen} />,
  },
]

export function SignIns() {
  const { api, session } = useRuntime()
  const [page, setPage] = useState(1)
  const list = useQuery({
    queryKey: [...LISTS, page],
    queryFn: async ({ signal }) => {
      const query = { page: String(page), per_page: String(PER_PAGE) }
      return listPage(await api.call(users.listSignIns, { query, signal }))
    },
    staleTime: 0,
  })
  const end = useAction({
    call: ({ id }: SignIn) => api.call(users.endSignIn, { params: { id } }),
    done: ({ browser }) => texts.signInEnded(browserName(browser)),
    failed: texts.signInNotEnded,
    invalidates: [LISTS],
  })
  const signOut = useAction({
    call: async () => {
      await session.signOutEverywhere()
      noteSignOut()
    },
    failed: texts.signOutFailed,
  })
  return (
    <SectionCard id="sign-ins" title={texts.sessions} text={texts.sessionsText}>
      <PagedTable
        embedded
        label={texts.sessions}
        list={list}
        failed={texts.signInsFailed}
        columns={COLUMNS}
        rowKey={({ id }) => id}
        empty={
          <Text size="sm" p="sm">
            {texts.noSignIns}
          </Text>
        }
        page={page}
        perPage={PER_PAGE}
        onPageGone={setPage}
        renderPageLink={(target, children, label, className) => (
          <button type="button" aria-label={label} className={className} onClick={() => setPage(target)}>
            {children}
          </button>
        )}
        renderActions={(signIn) =>
          signIn.current ? null : (
            <Button
              size="compact-xs"
              variant="default"
              aria-label={texts.endSignIn(browserName(signIn.browser), signIn.source)}
              onClick={() => void end.run(signIn)}
            >
              {texts.signOut}
            </Button>
          )
        }
      />
      <IdentitiesStay />
      <Group justify="flex-end" mt="md">
        <Link to="/team" search={{ tab: 'keys', page: 1 }}>
          {texts.apiKeys}
        </Link>
        <Link to="/public-keys">{texts.sshKeys}</Link>
        <Button variant="default" onClick={() => void signOut.run()}>
          {texts.signOutEverywhere}
        </Button>
      </Group>
    </SectionCard>
  )
}
