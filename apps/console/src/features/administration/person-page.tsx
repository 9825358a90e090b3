// One person of the server: account, ways in, namespaces, sign-ins and activity, and what an administrator may do.
import { administration } from '@bowline/contract/operations/instance/administration'
import type { DescribedPerson } from '@bowline/contract/schemas/instance/administration'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { usePerson, useRuntime } from '../../core/context.tsx'
import { useAction } from '../../core/use-action.ts'
import { Callout } from '../../ui/feedback/callout.tsx'
import { Confirm } from '../../ui/feedback/confirm.tsx'
import { ErrorPanel } from '../../ui/feedback/error-panel.tsx'
import { Button, Group, Skeleton, Text } from '../../ui/kit.ts'
import { BackLink } from '../../ui/page/back-link.tsx'
import { Fact, FactColumns, Facts } from '../../ui/page/facts.tsx'
import { Page } from '../../ui/page/page.tsx'
import { formatCount, formatMoment } from '../../ui/text/numbers.ts'
import { TimeAgo } from '../../ui/text/time-ago.tsx'
import classes from './administration.module.css'
import { administrationMessages } from './messages.ts'
import { OnlyAdministrators } from './only-administrators.tsx'
import { PersonBadges } from './people-page.tsx'
import { PersonActivity, PersonMemberships, PersonSignIns } from './person-tables.tsx'
import { PEOPLE, personQuery } from './queries.ts'

const route = getRouteApi('/app/instance/people/$user')
const texts = administrationMessages.person

export function PersonPage() {
  return <OnlyAdministrators title={administrationMessages.people.title}>{() => <Body />}</OnlyAdministrators>
}

function Body() {
  const { user } = route.useParams()
  const { api } = useRuntime()
  const query = useQuery(personQuery(api, user))
  const { data } = query
  return (
    <Page
      title={data ? nameOf(data) : administrationMessages.people.title}
      trail={<BackLink to="/instance/people" label={administrationMessages.people.back} />}
      actions={data ? <Actions person={data} /> : null}
    >
      {query.isError ? (
        <ErrorPanel title={texts.loadFailed} error={query.error} onRetry={() => query.refetch()} />
      ) : null}
      {query.isPending ? <Skeleton height={280} /> : null}
      {data ? <Described person={data} /> : null}
    </Page>
  )
}

const nameOf = ({ username, email }: Pick<DescribedPerson, 'username' | 'email'>): string =>
  username === '' ? email : username

function Described({ person }: { readonly person: DescribedPerson }) {
  const { last_login: login, disabled_at: disabledAt } = person
  return (
    <div className={classes['stack']}>
      {disabledAt === null ? null : <Callout tone="warn">{texts.since(formatMoment(disabledAt))}</Callout>}
      <FactColumns>
        <Facts title={texts.about}>
          <Fact name={texts.name}>{person.name}</Fact>
          <Fact name={texts.email}>
            <span className={classes['long']}>{person.email}</span>
          </Fact>
          <Fact name={administrationMessages.people.columns.state}>
            <PersonBadges person={person} />
          </Fact>
          <Fact name={texts.created}>{formatMoment(person.created_at)}</Fact>
          <Fact name={texts.lastLogin}>
            {login === null ? administrationMessages.people.never : <TimeAgo time={login} />}
          </Fact>
          <Fact name={texts.maxNamespaces}>{texts.namespaces(person.max_namespaces)}</Fact>
        </Facts>
        <Facts title={texts.access}>
          <Fact name={texts.password}>{person.has_password ? texts.yes : texts.no}</Fact>
          <Fact name={texts.factors}>{texts.factorText(person.authenticators, person.passkeys)}</Fact>
          <Fact name={texts.identities}>{formatCount(person.identities)}</Fact>
          <Fact name={texts.keys}>{texts.keyText(person.ssh_keys, person.api_keys)}</Fact>
        </Facts>
      </FactColumns>
      <PersonMemberships memberships={person.memberships} />
      <PersonSignIns user={person.id} />
      <PersonActivity user={person.id} />
    </div>
  )
}

type Asked = 'disable' | 'administrator'

function Actions({ person }: { readonly person: DescribedPerson }) {
  const { api } = useRuntime()
  const isSelf = usePerson()?.id === person.id
  const [asked, setAsked] = useState<Asked>()
  const params = { user: person.id }
  const name = nameOf(person)
  const disable = useAction({
    call: () => api.call(administration.disablePerson, { params }),
    done: texts.disabledDone(name),
    failed: texts.disableFailed,
    invalidates: [PEOPLE],
  })
  const enable = useAction({
    call: () => api.call(administration.enablePerson, { params }),
    done: texts.enableDone(name),
    failed: texts.enableFailed,
    invalidates: [PEOPLE],
  })
  const setAdministrator = useAction({
    call: (administrator: boolean) => api.call(administration.setAdministrator, { params, body: { administrator } }),
    done: (administrator) => (administrator ? texts.granted : texts.revoked)(name),
    failed: texts.grantFailed,
    invalidates: [PEOPLE],
  })
  if (isSelf) {
    return (
      <Text size="sm" c="dimmed">
        {texts.own}
      </Text>
    )
  }
  const { administrator } = person
  return (
    <Group gap="xs">
      {person.state === 'confirmed' || administrator ? (
        <Button variant="default" onClick={() => setAsked('administrator')}>
          {administrator ? texts.revoke : texts.grant}
        </Button>
      ) : null}
      {person.state === 'confirmed' ? (
        <Button color="red.8" onClick={() => setAsked('disable')}>
          {texts.disable}
        </Button>
      ) : null}
      {person.state === 'disabled' ? (
        <Button onClick={() => void enable.run()}>{administrationMessages.enable}</Button>
      ) : null}
      <Confirm
        opened={asked === 'disable'}
        title={texts.disableTitle(name)}
        action={texts.disable}
        onClose={() => setAsked(undefined)}
        onConfirm={() => void disable.run()}
      >
        <Text size="sm">{texts.disableText}</Text>
      </Confirm>
      <Confirm
        opened={asked === 'administrator'}
        title={(administrator ? texts.revokeTitle : texts.grantTitle)(name)}
        action={administrator ? texts.revoke : texts.grant}
        onClose={() => setAsked(undefined)}
        onConfirm={() => void setAdministrator.run(!administrator)}
      >
        <Text size="sm">{administrator ? texts.revokeText : texts.grantText}</Text>
      </Confirm>
    </Group>
  )
}
