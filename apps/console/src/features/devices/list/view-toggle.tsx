// Leads from the list of devices to the map, and back; what narrows them stays.
import { Link } from '@tanstack/react-router'
import { List, Map as MapIcon } from 'lucide-react'
import { devicesMessages as texts } from '../messages.ts'
import type { DevicesSearch } from '../search.ts'
import classes from './list.module.css'

interface ViewToggleProps {
  /** What it leads to. */
  readonly view: 'list' | 'map'
  readonly search: DevicesSearch
}

export function ViewToggle({ view, search }: ViewToggleProps) {
  const isMap = view === 'map'
  const Icon = isMap ? MapIcon : List
  const label = isMap ? texts.asMap : texts.asList
  return (
    <Link
      to={isMap ? '/devices/map' : '/devices'}
      search={search}
      className={classes['view'] ?? ''}
      data-tip={label}
      aria-label={label}
    >
      <Icon size={16} aria-hidden />
    </Link>
  )
}
