// A dialog, and a dialog with a form. The contents mount when the dialog opens, so forms start fresh.
import { type ReactNode, useMemo, useState } from 'react'
import type { FieldValues } from 'react-hook-form'
import { Callout } from './callout.tsx'
import { ErrorPanel } from './error-panel.tsx'
import { Button, Group, Modal, Stack } from '../kit.ts'
import { uiMessages } from '../messages.ts'
import { useOpens } from './use-opens.ts'
import { type Unsaved, isUnsaved, mayLeave } from '../../platform/unsaved.ts'
import type { ContractForm } from '../form/use-contract-form.ts'
import { FormHolder } from '../form/use-unsaved.ts'
import classes from './dialog.module.css'

interface DialogProps {
  readonly opened: boolean
  readonly onClose: () => void
  readonly title: string
  readonly size?: 'md' | 'lg'
  /** Closes by its own buttons only: for something shown once. */
  readonly insists?: boolean
  readonly children: ReactNode
}

export function Dialog({ opened, onClose, title, size = 'md', insists = false, children }: DialogProps) {
  const [forms] = useState(() => new Set<Unsaved>())
  const leave = async () => {
    // The question is closed by Escape too: the key that leads to it must not answer it.
    if (isUnsaved(forms)) await new Promise((done) => setTimeout(done, 0))
    if (await mayLeave(forms)) onClose()
  }
  const holder = useMemo(() => ({ isOpen: opened, forms }), [opened, forms])
  const isOpen = useOpens(opened)
  return (
    <Modal
      opened={isOpen}
      // By Escape, a click outside or the cross, any of which happens by accident; the button that cancels means it.
      onClose={() => void leave()}
      title={title}
      size={size}
      withCloseButton={!insists}
      closeOnEscape={!insists}
      closeOnClickOutside={!insists}
      closeButtonProps={{ 'aria-label': uiMessages.close }}
    >
      <FormHolder value={holder}>{children}</FormHolder>
    </Modal>
  )
}

interface DialogFormProps<In extends FieldValues, Out> {
  readonly form: ContractForm<In, Out>
  /** "The key was not added": above the form, when no field is at fault. */
  readonly failed: string
  /** The verb on the submit button. */
  readonly submit: string
  readonly onCancel: () => void
  /** Why this person may not submit; undefined: may submit. */
  readonly refused?: string | undefined
  readonly children: ReactNode
}

export function DialogForm<In extends FieldValues, Out>(props: DialogFormProps<In, Out>) {
  const { form, failed, submit, onCancel, refused, children } = props
  return (
    <form noValidate onSubmit={(event) => void form.onSubmit(event)}>
      <Stack gap="md">
        {form.failure === undefined ? null : <ErrorPanel title={failed} error={form.failure} />}
        {refused === undefined ? null : <Callout tone="note">{refused}</Callout>}
        <fieldset disabled={refused !== undefined} className={classes['fields']}>
          <Stack gap="md">{children}</Stack>
        </fieldset>
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onCancel}>
            {refused === undefined ? uiMessages.cancel : uiMessages.close}
          </Button>
          {refused === undefined ? (
            <Button type="submit" loading={form.form.formState.isSubmitting}>
              {submit}
            </Button>
          ) : null}
        </Group>
      </Stack>
    </form>
  )
}
