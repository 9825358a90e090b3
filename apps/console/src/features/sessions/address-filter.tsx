// Filter of the session list by the address that people came from: those of the latest sessions that match everything else.
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useRuntime } from '../../core/context.tsx'
import { ChoiceMenu } from '../../ui/controls/choice-menu.tsx'
import { Menu } from '../../ui/controls/menu-parts.tsx'
import { Loader } from '../../ui/kit.ts'
import { sessionsMessages } from './messages.ts'
import { sessionListQuery } from './queries.ts'
import { type SessionsSearch, sessionFilter } from './search.ts'

const texts = sessionsMessages.filters

/** Sessions that are looked at; the most that a page has. */
const LATEST = 100

interface AddressFilterProps {
  readonly search: SessionsSearch
  readonly onChoose: (address: string | undefined) => void
}

export function AddressFilter({ search, onChoose }: AddressFilterProps) {
  const { api } = useRuntime()
  const [opened, setOpened] = useState(false)
  const { ip: chosen } = search
  const filter = sessionFilter({ ...search, ip: undefined })
  const { data, isError, isPlaceholderData } = useQuery({
    ...sessionListQuery(api, { page: 1, perPage: LATEST, filter, sort: 'started_at', order: 'desc' }),
    enabled: opened,
  })
  const found = isPlaceholderData ? undefined : data?.items.map(({ ip_address: address }) => address)
  // The chosen address stays in the list even if no session matches it any longer.
  const addresses = [...new Set([...(found ?? []), ...(chosen === undefined ? [] : [chosen])])]
  return (
    <ChoiceMenu label={texts.address} chosen={chosen ?? ''} onOpen={() => setOpened(true)}>
      <Menu.RadioGroup value={chosen ?? ''}>
        <Menu.RadioItem value="" closeMenuOnClick onChange={() => onChoose(undefined)}>
          {texts.anyAddress}
        </Menu.RadioItem>
        <Menu.Label>{texts.latestAddresses}</Menu.Label>
        {addresses.length === 0 ? (
          <Menu.Item aria-disabled data-disabled closeMenuOnClick={false}>
            {isError ? texts.addressesFailed : found ? texts.noAddresses : <Loader size="sm" />}
          </Menu.Item>
        ) : null}
        {addresses.map((address) => (
          <Menu.RadioItem key={address} value={address} closeMenuOnClick onChange={() => onChoose(address)}>
            {address}
          </Menu.RadioItem>
        ))}
      </Menu.RadioGroup>
    </ChoiceMenu>
  )
}
