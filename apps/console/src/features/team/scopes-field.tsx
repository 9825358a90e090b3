// Field for the areas of the API that a key is limited to.
import type { Scope } from '@bowline/contract/scopes'
import { MultiSelect } from '../../ui/kit.ts'
import { teamMessages as texts } from './messages.ts'
import { scopeChoices, scopesAfter } from './scopes.ts'

interface ScopesFieldProps {
  readonly value: readonly Scope[]
  readonly error: string | null
  readonly onChange: (scopes: Scope[]) => void
}

export function ScopesField({ value, error, onChange }: ScopesFieldProps) {
  return (
    <MultiSelect
      label={texts.labels.scopes}
      description={texts.scopesHint}
      placeholder={value.length === 0 ? texts.unlimited : undefined}
      value={[...value]}
      data={scopeChoices(value)}
      error={error}
      searchable
      hidePickedOptions
      nothingFoundMessage={texts.noScope}
      onChange={(next) => onChange(scopesAfter(value, next))}
    />
  )
}
