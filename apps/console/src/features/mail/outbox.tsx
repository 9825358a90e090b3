// The outbox: mails by state, with the answer of the mail server, and another try for those that failed.
import { mails } from '@bowline/contract/operations/mails'
import { MailState, type OutboxMail } from '@bowline/contract/schemas/mail'
import { useQuery } from '@tanstack/react-query'
import { Link, getRouteApi, useNavigate } from '@tanstack/react-router'
import { Mail, RotateCw } from 'lucide-react'
import { useState } from 'react'
import { useRuntime } from '../../core/context.tsx'
import { useAction } from '../../core/use-action.ts'
import { EmptyState } from '../../ui/feedback/empty-state.tsx'
import { IconButton } from '../../ui/controls/icon-button.tsx'
import { Badge, Button, Text } from '../../ui/kit.ts'
import cells from '../../ui/list/cells.module.css'
import type { Column } from '../../ui/list/data-table.tsx'
import { PagedTable } from '../../ui/list/paged-table.tsx'
import { TabBar } from '../../ui/list/tab-bar.tsx'
import { SectionCard } from '../../ui/page/section-card.tsx'
import { CopyField } from '../../ui/text/copy-field.tsx'
import { TimeAgo } from '../../ui/text/time-ago.tsx'
import { kindName } from './kind-name.ts'
import { mailMessages as texts } from './messages.ts'
import { MAILS_PER_PAGE, OUTBOX, outboxQuery } from './queries.ts'
import classes from './mail.module.css'

const route = getRouteApi('/app/instance/mail')
const COLUMNS: readonly Column<OutboxMail>[] = [
  {
    id: 'recipient',
    header: texts.columns.recipient,
    cell: ({ recipient }) => <span className={classes['answer']}>{recipient}</span>,
  },
  { id: 'kind', header: texts.columns.kind, cell: ({ kind }) => kindName(kind) },
  {
    id: 'state',
    header: texts.columns.state,
    cell: ({ state, attempts }) => (
      <>
        <Badge variant="default">{texts.states[state]}</Badge>{' '}
        {attempts > 0 ? (
          <Text span size="xs" c="dimmed">
            {texts.attempts(attempts)}
          </Text>
        ) : null}
      </>
    ),
  },
  { id: 'created', header: texts.columns.created, width: '8rem', cell: ({ created_at: at }) => <TimeAgo time={at} /> },
  {
    id: 'answer',
    header: texts.columns.answer,
    block: true,
    cell: (mail) =>
      mail.has_link ? (
        <LinkOf mail={mail} />
      ) : (
        <span className={`${cells['mono']} ${classes['answer']}`}>{mail.answer}</span>
      ),
  },
]

/** The link of a mail, once the person has proven that it is they: it leads to the recipient's account. */
function LinkOf({ mail: { id, recipient } }: { readonly mail: OutboxMail }) {
  const { api } = useRuntime()
  const [link, setLink] = useState('')
  const show = useAction({
    call: async () => setLink((await api.call(mails.link, { params: { id } })).body.link),
    failed: texts.linkFailed,
  })
  if (link !== '') return <CopyField text={link} what={texts.link} />
  return (
    <Button
      size="compact-xs"
      variant="default"
      aria-label={texts.showLinkOf(recipient)}
      onClick={() => void show.run(undefined)}
    >
      {texts.showLink}
    </Button>
  )
}

export function Outbox() {
  const { page, state } = route.useSearch()
  const { api } = useRuntime()
  const navigate = useNavigate()
  const list = useQuery(outboxQuery(api, state, page))
  const resend = useAction({
    call: ({ id }: OutboxMail) => api.call(mails.resend, { params: { id } }),
    done: ({ recipient }) => texts.resent(recipient),
    failed: texts.resendFailed,
    invalidates: [OUTBOX],
  })
  return (
    <SectionCard title={texts.outbox} text={texts.outboxText}>
      <TabBar
        label={texts.stateTabs}
        tabs={(['all', ...MailState.options] as const).map((one) => ({
          key: one,
          label: texts.states[one],
          active: one === state,
          render: (inner, properties) => (
            <Link to="/instance/mail" search={{ state: one }} {...properties}>
              {inner}
            </Link>
          ),
        }))}
      />
      <PagedTable
        embedded
        label={texts.outboxLabel}
        list={list}
        failed={texts.outboxFailed}
        columns={COLUMNS}
        rowKey={({ id }) => id}
        renderActions={(mail) =>
          mail.state === 'failed' ? (
            <IconButton
              data-tip={texts.resend}
              aria-label={texts.resendTo(mail.recipient)}
              onClick={() => void resend.run(mail)}
            >
              <RotateCw size={15} aria-hidden />
            </IconButton>
          ) : null
        }
        page={page}
        perPage={MAILS_PER_PAGE}
        onPageGone={(last) => void navigate({ to: '/instance/mail', search: { state, page: last }, replace: true })}
        renderPageLink={(target, children, label, className) => (
          <Link to="/instance/mail" search={{ state, page: target }} aria-label={label} className={className}>
            {children}
          </Link>
        )}
        empty={<EmptyState icon={<Mail size={24} />} title={texts.empty} text={texts.emptyText} />}
      />
    </SectionCard>
  )
}
