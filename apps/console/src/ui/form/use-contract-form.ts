// A form validated by a contract schema, so that the browser reports what the server would, and that shows the server's
// errors at the fields they name.
import { ApiError } from '@bowline/contract/client'
import { zodResolver } from '@hookform/resolvers/zod'
import { type BaseSyntheticEvent, useState } from 'react'
import { type DefaultValues, type FieldValues, type Path, type UseFormReturn, useForm } from 'react-hook-form'
import type { z } from 'zod'
import { fieldErrors, fieldSentence } from './field-errors.ts'
import { uiMessages } from '../messages.ts'
import { useUnsaved } from './use-unsaved.ts'

interface FormSpec<In extends FieldValues, Out extends FieldValues> {
  readonly schema: z.ZodType<Out, In>
  readonly values: DefaultValues<NoInfer<In>>
  /** Labels of every field that the server may name, for the error sentences. */
  readonly labels: Readonly<Partial<Record<Path<NoInfer<In>>, string>>>
  /** Error sentences for fields whose value is already in use: they name what uses it and what to do. */
  readonly taken?: Readonly<Partial<Record<Path<NoInfer<In>>, string>>>
  /** Sends the form. An error is shown at the field it names, otherwise above the form. */
  readonly send: (values: Out) => Promise<void>
  /** Leaving the form with changes asks nothing: a password, a search. */
  readonly losable?: true
}

export interface ContractForm<In extends FieldValues = FieldValues, Out = unknown> {
  readonly form: UseFormReturn<In, unknown, Out>
  readonly onSubmit: (event?: BaseSyntheticEvent) => Promise<void>
  /** The error that no field explains; undefined without one. */
  readonly failure: unknown
  /** Props for a field's input. */
  readonly field: (name: Path<In>) => FieldProps
  /** The error sentence beneath a field; null when it is valid. */
  readonly errorOf: (name: Path<In>) => string | null
}

type FieldProps = ReturnType<UseFormReturn['register']> & { readonly label: string; readonly error: string | null }

export function useContractForm<In extends FieldValues, Out extends FieldValues>({
  schema,
  values,
  labels,
  taken,
  send,
  losable,
}: FormSpec<In, Out>): ContractForm<In, Out> {
  const [failure, setFailure] = useState<unknown>()
  const form = useForm<In, unknown, Out>({ resolver: zodResolver(schema), defaultValues: values })
  const sending = useUnsaved(form, losable === true)
  const isField = (name: string): name is Path<In> => Object.hasOwn(labels, name)
  const labelOf = (name: Path<In>): string => labels[name] ?? ''

  const onSubmit = form.handleSubmit(async (sent) => {
    setFailure(undefined)
    try {
      await sending(() => send(sent))
    } catch (error) {
      // The server names a field by its path; forms are flat.
      const wrong = fieldErrors(error, isConflict(error) ? TAKEN : uiMessages.notAccepted).map(({ field, rule }) => ({
        name: field.split('.').at(-1) ?? '',
        rule,
      }))
      const known = wrong.flatMap(({ name, rule }) => (isField(name) ? [{ name, rule }] : []))
      for (const [index, { name, rule }] of known.entries()) {
        form.setError(name, problemOf(rule, taken?.[name]), { shouldFocus: index === 0 })
      }
      if (known.length === 0) setFailure(error)
    }
  })

  const errorOf = (name: Path<In>): string | null => {
    const { type, message } = form.getFieldState(name, form.formState).error ?? {}
    if (message === undefined) return null
    return type === SENTENCE ? message : fieldSentence(labelOf(name), message)
  }
  return {
    form,
    onSubmit,
    failure,
    errorOf,
    field: (name) => ({ ...form.register(name), label: labelOf(name), error: errorOf(name) }),
  }
}

/** The server's rule for a value that something else has. */
const TAKEN = 'is taken'

/** Type of an error whose message is the sentence to show. */
const SENTENCE = 'sentence'

function problemOf(rule: string, taken: string | undefined): { type?: string; message: string } {
  if (rule !== TAKEN) return { message: rule }
  return taken === undefined ? { message: uiMessages.taken } : { type: SENTENCE, message: taken }
}

/** Some calls return only the names of the invalid fields. */
function isConflict(error: unknown): boolean {
  return error instanceof ApiError && error.status === 409
}
