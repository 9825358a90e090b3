// The kit's password field plus two accessibility fixes: the invalid state, and a reveal button reachable by keyboard.
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
