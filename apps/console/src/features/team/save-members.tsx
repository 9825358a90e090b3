// Saves the members of the namespace as a table.
import { csvLine } from '@bowline/base/csv'
import type { Member } from '@bowline/contract/schemas/namespace'
import { useQuery } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { usePerson, useRuntime } from '../../core/context.tsx'
import { Button } from '../../ui/kit.ts'
import { saveFile } from '../../ui/text/save-file.ts'
import { namespaceQuery } from '../namespaces/queries.ts'
import { teamMessages as texts } from './messages.ts'

/** Columns of the table, by the names that the API has: programs read them, whatever the language. */
const FIELDS = ['id', 'email', 'role', 'status', 'added_at'] as const

export function SaveMembers() {
  const { api } = useRuntime()
  const { data } = useQuery(namespaceQuery(api, usePerson()?.tenant ?? ''))
  return (
    <Button
      variant="default"
      leftSection={<Download size={16} aria-hidden />}
      disabled={!data}
      onClick={() => data && saveFile(new Blob([tableOf(data.members)], { type: 'text/csv' }), 'members.csv')}
    >
      {texts.exportMembers}
    </Button>
  )
}

function tableOf(members: readonly Member[]): string {
  return [FIELDS, ...members.map((member) => FIELDS.map((field) => String(member[field] ?? '')))].map(csvLine).join('')
}
