// Questions the device asks during sign-in: a code, a new password. The texts come from the device.
import { useState } from 'react'
import { Button, Group, Modal, Stack, Text, TextInput } from '../../../ui/kit.ts'
import { PasswordField } from '../../../ui/form/password-field.tsx'
import type { Prompt } from '../connection/remote-terminal.ts'
import { terminalMessages as texts } from '../messages.ts'
import type { SignInPane } from './pane-session.ts'

export function PromptForm({ pane, prompt }: { readonly pane: SignInPane; readonly prompt: Prompt }) {
  const [answers, setAnswers] = useState(() => prompt.prompts.map(() => ''))
  const set = (at: number, text: string) => setAnswers(answers.map((old, index) => (index === at ? text : old)))
  return (
    <Modal opened onClose={() => pane.disconnect()} title={prompt.name === '' ? texts.prompt.title : prompt.name}>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          pane.remote()?.answer(answers)
        }}
      >
        <Stack gap="md">
          {prompt.instruction === '' ? null : <Text size="sm">{prompt.instruction}</Text>}
          {prompt.prompts.map(({ text, echo }, at) => {
            const Field = echo ? TextInput : PasswordField
            return (
              <Field
                key={`${at} ${text}`}
                label={text.trim()}
                value={answers[at] ?? ''}
                autoComplete="one-time-code"
                {...(at === 0 ? { 'data-autofocus': true } : {})}
                onChange={(event) => set(at, event.currentTarget.value)}
              />
            )
          })}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={() => pane.disconnect()}>
              {texts.prompt.cancel}
            </Button>
            <Button type="submit">{texts.prompt.answer}</Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
