// The kit's password field with what it leaves out for people who cannot see or point: the invalid state, and a
// reveal button that the keyboard reaches.
import { PasswordInput, type PasswordInputProps } from '@mantine/core'
import { uiMessages } from '../messages.ts'

export function PasswordField(props: PasswordInputProps) {
  return (
    <PasswordInput
      {...props}
      aria-invalid={props.error ? true : undefined}
      visibilityToggleFocusable
      visibilityToggleButtonProps={{ 'aria-label': uiMessages.showPassword }}
    />
  )
}
