// A filter of a list by member: of what somebody has done.
import { UserId } from '@bowline/contract/schemas/common'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { usePerson, useRuntime } from '../../core/context.tsx'
import { OneOf } from '../../ui/controls/choice-menu.tsx'
import { namespacesMessages } from './messages.ts'
import { namespaceQuery } from './queries.ts'

const texts = namespacesMessages.memberFilter

interface MemberFilterProps {
  readonly chosen: UserId | typeof NOBODY | undefined
  /** Offers what names nobody, under this name. */
  readonly nobody?: { readonly name: string; readonly onChoose: () => void }
  readonly onChoose: (person: UserId | undefined) => void
}

const NOBODY = 'unknown'

/** The members of the namespace, read when somebody looks at them. */
export function MemberFilter({ chosen, nobody, onChoose }: MemberFilterProps) {
  const { api } = useRuntime()
  const tenant = usePerson()?.tenant ?? ''
  const [opened, setOpened] = useState(false)
  const isNeeded = tenant !== '' && (opened || (chosen !== undefined && chosen !== NOBODY))
  const { data } = useQuery({ ...namespaceQuery(api, tenant), enabled: isNeeded })
  const members = (data?.members ?? []).filter(({ status }) => status === 'accepted')
  const names: Record<string, string> = {
    ...Object.fromEntries(members.map(({ id, email }) => [id, email])),
    ...(nobody ? { [NOBODY]: nobody.name } : {}),
  }
  // Somebody who has left stays the one that the list shows.
  if (chosen !== undefined) names[chosen] ??= data ? texts.formerMember : '…'
  return (
    <OneOf
      label={texts.person}
      none={texts.anyPerson}
      values={Object.keys(names)}
      names={names}
      chosen={chosen}
      onOpen={() => setOpened(true)}
      onChoose={(id) => {
        if (id === NOBODY) nobody?.onChoose()
        else onChoose(id === undefined ? undefined : UserId.parse(id))
      }}
    />
  )
}
