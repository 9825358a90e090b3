// Optional pattern: anything, or a regular expression.
import { NativeSelect, TextInput } from '../../ui/kit.ts'
import { tagsMessages as texts } from './messages.ts'
import classes from './tags.module.css'

/** The pattern that matches everything; existing clients write it too. */
export const ANY = '.*'

interface PatternFieldProps {
  readonly label: string
  /** RE2; `.*` for anything. */
  readonly value: string
  readonly onChange: (pattern: string) => void
  readonly error: string | null
  /** Example pattern. */
  readonly placeholder: string
}

export function PatternField({ label, value, onChange, error, placeholder }: PatternFieldProps) {
  const isAny = value === ANY
  return (
    <div className={classes['pattern']}>
      <NativeSelect
        label={label}
        value={isAny ? 'any' : 'matching'}
        onChange={(event) => onChange(event.currentTarget.value === 'any' ? ANY : '')}
        data={[
          { value: 'any', label: texts.any },
          { value: 'matching', label: texts.matching },
        ]}
        error={isAny ? error : null}
      />
      {isAny ? null : (
        <TextInput
          label={texts.patternOf(label)}
          value={value}
          error={error}
          placeholder={placeholder}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      )}
    </div>
  )
}
