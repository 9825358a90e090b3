// Palette items of a step that asks for a text: the tag to add to a device, its new name.
import { LIMITS } from '@bowline/contract/limits'
import { DeviceName } from '@bowline/contract/operations/devices'
import type { Device } from '@bowline/contract/schemas/device'
import { Tag } from '@bowline/contract/schemas/tag'
import { useQuery } from '@tanstack/react-query'
import { Pencil, Tags } from 'lucide-react'
import { useRuntime } from '../../core/context.tsx'
import { useAddTag, useRename } from '../../features/devices/quick-changes.ts'
import { tagsQuery } from '../../features/tags/queries.ts'
import type { PaletteItem } from './items.ts'
import { paletteMessages as texts } from './messages.ts'

export type Step = 'tag' | 'rename'

const SHOWN_TAGS = 8

interface StepContent {
  readonly items: readonly PaletteItem[]
  /** Why there are no items. */
  readonly problem?: string
}

/**
 * @param device the step is about it; undefined with `step`: nothing
 * @param value what is typed
 */
export function useStepItems(device: Device | undefined, step: Step | undefined, value: string): StepContent {
  const { api } = useRuntime()
  const { data: known = [] } = useQuery({ ...tagsQuery(api), enabled: step === 'tag' })
  const rename = useRename()
  const addTag = useAddTag()
  if (!device || !step) return { items: [] }
  if (step === 'rename') {
    return renameItems(device, value.trim(), (name) => void rename.run({ device, value: name }))
  }
  return tagItems(device, value.trim(), known, (tag) => void addTag.run({ device, value: tag }))
}

function renameItems({ name }: Device, typed: string, run: (name: string) => void): StepContent {
  const parsed = DeviceName.safeParse(typed)
  if (!parsed.success) return refused(parsed.error.issues[0]?.message)
  if (parsed.data === name) return { items: [], problem: texts.sameName }
  const label = texts.renameTo(parsed.data)
  return { items: [{ id: label, group: name, label, icon: Pencil, run: () => run(parsed.data) }] }
}

function tagItems(
  { name, tags }: Device,
  typed: string,
  known: readonly string[],
  run: (tag: string) => void,
): StepContent {
  if (tags.length >= LIMITS.tagsPerItem) return { items: [], problem: texts.tooManyTags(LIMITS.tagsPerItem) }
  const free = known.filter((tag) => !tags.includes(tag))
  const item = (tag: string, note?: string): PaletteItem => ({
    id: tag,
    group: name,
    label: texts.addTag(tag),
    icon: Tags,
    run: () => run(tag),
    ...(note === undefined ? {} : { note }),
  })
  const matching = free.filter((tag) => tag.toLowerCase().includes(typed.toLowerCase())).slice(0, SHOWN_TAGS)
  // What is typed in full comes first: Enter adds it, even if longer tags contain it.
  const exact = matching.filter((tag) => tag === typed)
  const others = matching.filter((tag) => tag !== typed)
  if (typed === '') return others.length ? { items: others.map((tag) => item(tag)) } : refusedTag()
  if (tags.includes(typed)) return others.length ? { items: others.map((tag) => item(tag)) } : has(typed)
  const parsed = Tag.safeParse(typed)
  const created = exact.length === 0 && parsed.success ? [item(parsed.data, texts.newTag)] : []
  const items = [...exact.map((tag) => item(tag)), ...others.map((tag) => item(tag)), ...created]
  return items.length || parsed.success ? { items } : refused(parsed.error.issues[0]?.message)
}

const refusedTag = (): StepContent => ({ items: [], problem: texts.noTags })
const has = (tag: string): StepContent => ({ items: [], problem: texts.hasTag(tag) })
const refused = (rule = ''): StepContent => ({ items: [], problem: texts.notAllowed(rule) })
