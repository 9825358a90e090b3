// Chooses the members and roles that a rule is about.
import { MultiSelect } from '../../ui/kit.ts'
import { useMembers } from '../namespaces/use-members.ts'
import { firewallMessages as texts } from './messages.ts'
import { choicesOf } from './subjects.ts'

interface SubjectsFieldProps {
  readonly value: readonly string[]
  readonly error: string | null
  readonly onChange: (choices: string[]) => void
}

export function SubjectsField({ value, error, onChange }: SubjectsFieldProps) {
  const members = useMembers()
  return (
    <MultiSelect
      label={texts.labels.people}
      description={texts.peopleHint}
      placeholder={value.length === 0 ? texts.anyone : ''}
      value={[...value]}
      data={choicesOf(members, value)}
      error={error}
      searchable
      hidePickedOptions
      nothingFoundMessage={texts.noMember}
      onChange={onChange}
    />
  )
}
