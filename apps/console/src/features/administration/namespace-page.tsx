// One namespace of the server: contents, limits and people, and what an administrator may do.
import { administration } from '@bowline/contract/operations/instance/administration'
import type { DescribedNamespace } from '@bowline/contract/schemas/instance/administration'
import { TenantId } from '@bowline/contract/schemas/common'
import { useQuery } from '@tanstack/react-query'
import { Link, getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { useRuntime } from '../../core/context.tsx'
import { useAction } from '../../core/use-action.ts'
import { NotFoundInShell } from '../../core/not-found-page.tsx'
import { Callout } from '../../ui/feedback/callout.tsx'
import { Confirm } from '../../ui/feedback/confirm.tsx'
import { ErrorPanel } from '../../ui/feedback/error-panel.tsx'
import { Badge, Button, Skeleton, Text } from '../../ui/kit.ts'
import cells from '../../ui/list/cells.module.css'
import { type Column, DataTable } from '../../ui/list/data-table.tsx'
import { BackLink } from '../../ui/page/back-link.tsx'
import { Fact, FactColumns, Facts } from '../../ui/page/facts.tsx'
import { Page } from '../../ui/page/page.tsx'
import { SectionCard } from '../../ui/page/section-card.tsx'
import { formatBytes, formatCount, formatMoment } from '../../ui/text/numbers.ts'
import classes from './administration.module.css'
import { LimitsCard } from './limits-card.tsx'
import { administrationMessages } from './messages.ts'
import { OnlyAdministrators } from './only-administrators.tsx'
import { NAMESPACES, administeredQuery } from './queries.ts'

const route = getRouteApi('/app/instance/namespaces/$tenant')
const texts = administrationMessages.namespace
const { namespaces } = administrationMessages
type Member = DescribedNamespace['people'][number]

export function NamespacePage() {
  const tenant = TenantId.safeParse(route.useParams().tenant)
  if (!tenant.success) return <NotFoundInShell />
  return <OnlyAdministrators title={namespaces.title}>{() => <Body tenant={tenant.data} />}</OnlyAdministrators>
}

function Body({ tenant }: { readonly tenant: TenantId }) {
  const { api } = useRuntime()
  const query = useQuery(administeredQuery(api, tenant))
  const { data } = query
  return (
    <Page
      title={data?.name ?? namespaces.title}
      trail={<BackLink to="/instance/namespaces" label={namespaces.back} />}
      actions={data ? <Switch namespace={data} /> : null}
    >
      {query.isError ? (
        <ErrorPanel title={texts.loadFailed} error={query.error} onRetry={() => query.refetch()} />
      ) : null}
      {query.isPending ? <Skeleton height={280} /> : null}
      {data ? <Described namespace={data} /> : null}
    </Page>
  )
}

function Described({ namespace }: { readonly namespace: DescribedNamespace }) {
  const { tenant_id: tenant, owner, disabled_at: disabledAt } = namespace
  return (
    <div className={classes['stack']}>
      {disabledAt === null ? null : <Callout tone="warn">{texts.since(formatMoment(disabledAt))}</Callout>}
      <FactColumns>
        <Facts title={texts.about}>
          <Fact name={texts.owner}>
            <Link to="/instance/people/$user" params={{ user: owner.id }}>
              {owner.username === '' ? owner.email : owner.username}
            </Link>
          </Fact>
          <Fact name={texts.created}>{formatMoment(namespace.created_at)}</Fact>
          <Fact name={texts.tenant}>
            <span className={`${cells['mono']} ${classes['long']}`}>{tenant}</span>
          </Fact>
          <Fact name={texts.audit}>
            <Link to="/instance/audit" search={{ namespace: tenant }}>
              {administrationMessages.audit.title}
            </Link>
          </Fact>
        </Facts>
        <Facts title={texts.contents}>
          <Fact name={texts.devices}>{namespaces.devices(namespace.devices, namespace.online)}</Fact>
          <Fact name={texts.sessions}>{formatCount(namespace.active_sessions)}</Fact>
          <Fact name={texts.tunnels}>{formatCount(namespace.tunnels)}</Fact>
          <Fact name={texts.apiKeys}>{formatCount(namespace.api_keys)}</Fact>
          <Fact name={texts.recordings}>{formatBytes(namespace.recordings_bytes)}</Fact>
        </Facts>
      </FactColumns>
      <LimitsCard tenant={tenant} limits={namespace.limits} />
      <People namespace={namespace} />
    </div>
  )
}

const nameOf = ({ username, email }: Pick<Member, 'username' | 'email'>): string => (username === '' ? email : username)

const COLUMNS: readonly Column<Member>[] = [
  {
    id: 'person',
    header: texts.peopleColumns.person,
    cell: (member) => (
      <Link to="/instance/people/$user" params={{ user: member.id }} className={classes['long']}>
        {nameOf(member)}
      </Link>
    ),
  },
  { id: 'role', header: texts.peopleColumns.role, cell: ({ role }) => administrationMessages.roles[role] },
  {
    id: 'state',
    header: texts.peopleColumns.state,
    cell: ({ status, disabled }) => (
      <Badge variant="default" tt="none">
        {disabled
          ? administrationMessages.disabled
          : status === 'pending'
            ? administrationMessages.person.invited
            : administrationMessages.person.member}
      </Badge>
    ),
  },
]

function People({ namespace: { tenant_id: tenant, people } }: { readonly namespace: DescribedNamespace }) {
  const { api } = useRuntime()
  const [heir, setHeir] = useState<Member>()
  const handOver = useAction({
    call: ({ id }: Member) => api.call(administration.handOver, { params: { namespace: tenant }, body: { user: id } }),
    done: (member) => texts.handedOver(nameOf(member)),
    failed: texts.handOverFailed,
    invalidates: [NAMESPACES],
  })
  return (
    <SectionCard title={texts.people} text={texts.peopleText}>
      <DataTable
        label={texts.peopleTable}
        columns={COLUMNS}
        rows={people}
        rowKey={({ id }) => id}
        renderActions={(member) =>
          member.role === 'owner' || member.status === 'pending' || member.disabled ? null : (
            <Button
              variant="default"
              size="compact-xs"
              aria-label={texts.makeOwnerNamed(nameOf(member))}
              onClick={() => setHeir(member)}
            >
              {texts.makeOwner}
            </Button>
          )
        }
        empty={null}
      />
      <Confirm
        opened={heir !== undefined}
        title={heir ? texts.handOverTitle(nameOf(heir)) : ''}
        action={texts.makeOwner}
        onClose={() => setHeir(undefined)}
        onConfirm={() => heir && void handOver.run(heir)}
      >
        <Text size="sm">{texts.handOverText}</Text>
      </Confirm>
    </SectionCard>
  )
}

function Switch({
  namespace: { tenant_id: tenant, name, disabled_at: disabledAt },
}: {
  readonly namespace: DescribedNamespace
}) {
  const { api } = useRuntime()
  const [asked, setAsked] = useState(false)
  const params = { namespace: tenant }
  const disable = useAction({
    call: () => api.call(administration.disableNamespace, { params }),
    done: texts.disabledDone(name),
    failed: texts.disableFailed,
    invalidates: [NAMESPACES],
  })
  const enable = useAction({
    call: () => api.call(administration.enableNamespace, { params }),
    done: texts.enableDone(name),
    failed: texts.enableFailed,
    invalidates: [NAMESPACES],
  })
  if (disabledAt !== null) return <Button onClick={() => void enable.run()}>{administrationMessages.enable}</Button>
  return (
    <>
      <Button color="red.8" onClick={() => setAsked(true)}>
        {texts.disable}
      </Button>
      <Confirm
        opened={asked}
        title={texts.disableTitle(name)}
        action={texts.disable}
        onClose={() => setAsked(false)}
        onConfirm={() => void disable.run()}
      >
        <Text size="sm">{texts.disableText}</Text>
      </Confirm>
    </>
  )
}
