// Holds a form with changes against being left unasked.
import { createContext, useContext, useEffect, useRef } from 'react'
import type { FieldValues, UseFormReturn } from 'react-hook-form'
import { type Unsaved, holdUnsaved } from '../../platform/unsaved.ts'

/** Container of forms that is left by itself, such as a dialog. */
interface FormHolder {
  /** False while it goes away: its forms have been given up. */
  readonly isOpen: boolean
  readonly forms: Set<Unsaved>
}
export const FormHolder = createContext<FormHolder | undefined>(undefined)

/**
 * @param isLosable what is typed is worth no question: a password, a search
 * @returns runs the sending of the form: what leaves it meanwhile is not asked about, and what was sent counts as saved
 */
export function useUnsaved<In extends FieldValues, Out>(
  form: UseFormReturn<In, unknown, Out>,
  isLosable: boolean,
): (send: () => Promise<void>) => Promise<void> {
  const holder = useContext(FormHolder)
  const saved = useRef<string>(undefined)
  const isSending = useRef(false)
  const isOpen = useRef(true)
  useEffect(() => {
    isOpen.current = holder?.isOpen !== false
  })
  const forms = holder?.forms
  useEffect(() => {
    if (isLosable) return undefined
    const isUnsaved: Unsaved = () => {
      if (isSending.current || !isOpen.current) return false
      const now = written(form.getValues())
      return now !== written(form.formState.defaultValues) && now !== saved.current
    }
    forms?.add(isUnsaved)
    const forget = holdUnsaved(isUnsaved)
    return () => {
      forms?.delete(isUnsaved)
      forget()
    }
  }, [form, forms, isLosable])
  return async (send) => {
    isSending.current = true
    try {
      await send()
      saved.current = written(form.getValues())
    } finally {
      isSending.current = false
    }
  }
}

/** Values as text that is the same for the same contents; nothing and an empty field are alike. */
function written(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) => {
    if (part === '' || part === null) return undefined
    if (typeof part !== 'object' || Array.isArray(part)) return part
    return Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
  })
}
