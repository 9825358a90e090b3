// Multi-line text field. The kit's own pulls in a library for automatic height, which nothing here needs.
import { Input } from '@mantine/core'
import { type ComponentProps, type ReactNode, useId } from 'react'

type Passed = 'name' | 'value' | 'rows' | 'onChange' | 'onBlur' | 'ref' | 'spellCheck' | 'autoCapitalize' | 'className'

interface TextAreaProps extends Pick<ComponentProps<'textarea'>, Passed> {
  readonly label: string
  readonly description?: ReactNode
  readonly error?: string | null
  readonly disabled?: boolean | undefined
  readonly 'data-autofocus'?: boolean
}

export function TextArea({ label, description, error, className, disabled = false, ...textarea }: TextAreaProps) {
  const id = useId()
  const describedBy = error ? `${id}-error` : description ? `${id}-description` : undefined
  return (
    <Input.Wrapper
      id={id}
      label={label}
      description={description}
      error={error}
      descriptionProps={{ id: `${id}-description` }}
      errorProps={{ id: `${id}-error` }}
    >
      <Input
        {...textarea}
        disabled={disabled}
        id={id}
        component="textarea"
        multiline
        size="sm"
        error={Boolean(error)}
        aria-invalid={error ? true : undefined}
        aria-describedby={describedBy}
        classNames={{ input: className ?? '' }}
      />
    </Input.Wrapper>
  )
}
