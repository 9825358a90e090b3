// A button that opens the values of one property, with the number of devices that have each.
import type { FacetName } from '@bowline/contract/operations/devices'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useRuntime } from '../../../core/context.tsx'
import { ChoiceMenu } from '../../../ui/controls/choice-menu.tsx'
import { Menu } from '../../../ui/controls/menu-parts.tsx'
import { Loader } from '../../../ui/kit.ts'
import { formatCount } from '../../../ui/text/numbers.ts'
import { devicesMessages as texts } from '../messages.ts'
import { facetQuery } from '../facet-query.ts'
import classes from './list.module.css'

interface FacetMenuProps {
  readonly by: FacetName
  readonly label: string
  readonly chosen: readonly string[]
  readonly scope: Parameters<typeof facetQuery>[2]
  readonly onChange: (values: readonly string[]) => void
}

export function FacetMenu({ by, label, chosen, scope, onChange }: FacetMenuProps) {
  const { api } = useRuntime()
  const [opened, setOpened] = useState(false)
  const { data, isError } = useQuery({ ...facetQuery(api, by, scope), enabled: opened })
  const counts = new Map(data?.map(({ value, count }) => [value, count]))
  // What is chosen stays on the list even when nothing has it any more: it could not be taken off otherwise.
  const values = [...new Set([...counts.keys(), ...chosen])]
  return (
    <ChoiceMenu label={label} chosen={chosen.join(', ')} onOpen={() => setOpened(true)}>
      {/* An item, as a menu must not be without any; one that can have the focus, or Escape would not reach the menu. */}
      {values.length === 0 ? (
        <Menu.Item aria-disabled data-disabled closeMenuOnClick={false}>
          {isError ? texts.valuesFailed : data ? texts.noValues : <Loader size="sm" />}
        </Menu.Item>
      ) : null}
      <Menu.CheckboxGroup value={[...chosen]} onChange={onChange}>
        {values.map((value) => (
          <Menu.CheckboxItem key={value} value={value} rightSection={<Count of={counts.get(value) ?? 0} />}>
            {value}
          </Menu.CheckboxItem>
        ))}
      </Menu.CheckboxGroup>
    </ChoiceMenu>
  )
}

function Count({ of: count }: { readonly of: number }) {
  return <span className={classes['count']}>{formatCount(count)}</span>
}
