// The one way to change something on the server: the call, what is announced, undo, retry, and the data to refetch.
import {
  type QueryClient,
  type QueryKey,
  type UseMutationOptions,
  hashKey,
  useIsMutating,
  useMutation,
} from '@tanstack/react-query'
import { useRef } from 'react'
import { type Fold, type Remedy, notifyDone, notifyFailure } from '../ui/feedback/notify.tsx'

type Sentence<Args extends unknown[]> = string | ((...args: Args) => string | undefined)
type Failed<Input> = string | ((input: Input) => string)
type RollBack = () => void

export interface ActionSpec<Input, Output> {
  /** Sends it. Several requests are one action when they succeed and fail together. */
  readonly call: (input: Input) => Promise<Output>
  /** Sentence on success. Absent or undefined: the screen shows the result by itself. */
  readonly done?: Sentence<[input: Input, output: Output]>
  /** Sentence on failure, for `run`. */
  readonly failed?: Failed<Input>
  /** A way to what would let it succeed, shown with the failure. */
  readonly remedy?: (error: unknown) => Remedy | undefined
  /** Undoes it, when the person asks for that in the notification of the success. */
  readonly undo?: (input: Input, output: Output) => Promise<unknown>
  /** Whether it can be undone; absent: always. */
  readonly canUndo?: (input: Input, output: Output) => boolean
  /** Successes that can be undone are shown together with those of the same fold. */
  readonly fold?: (input: Input) => Fold | undefined
  /** Keys of the queries to refetch: after success, failure and undo. */
  readonly invalidates?: readonly QueryKey[]
  /** Shows the result in the cache before the server answers. @returns what takes that back if the call fails */
  readonly optimistic?: (input: Input) => Promise<RollBack | undefined>
  /** Actions of one queue are sent one after the other; the last of them refetches. */
  readonly queue?: string
  /** Id of what it changes, for `useIsPending`. */
  readonly subject?: (input: Input) => string
}

/** An action that a form submits: the form shows the error, at the field that it names. */
export interface FormAction<Input, Output = unknown> {
  /** @throws the call's error */
  readonly send: (input: Input) => Promise<Output>
  /** True while the action started last is in progress. */
  readonly isPending: boolean
}

export interface Action<Input, Output = unknown> extends FormAction<Input, Output> {
  /** Resolves to true on success. A failure has been shown by then, with a retry. */
  readonly run: (input: Input) => Promise<boolean>
}

/** Variables of a mutation in the cache. It keeps the spec of its start: renders in between must not change it. */
interface Started<Input, Output> {
  readonly spec: ActionSpec<Input, Output>
  readonly input: Input
  readonly subject: string | undefined
}

/** Mutations may hold passwords: they leave the cache soon after they have settled. */
const KEPT_MS = 1_000

/**
 * An action on the server. Starting it again with the same input while it is pending sends nothing: a double click
 * is one action.
 *
 * ```ts
 * const remove = useAction({
 *   call: (tag: string) => api.call(tags.remove, { params: { tag } }),
 *   done: (tag) => texts.removed(tag),
 *   failed: (tag) => texts.removeFailed(tag),
 *   invalidates: [keys.tags],
 * })
 * void remove.run(tag)         // from a button
 * send: (tag) => save.send(tag) // from useContractForm; needs no `failed`
 * ```
 */
export function useAction<Input = void, Output = unknown>(
  spec: ActionSpec<Input, Output> & { readonly failed: Failed<Input> },
): Action<Input, Output>
export function useAction<Input = void, Output = unknown>(spec: ActionSpec<Input, Output>): FormAction<Input, Output>
export function useAction<Input, Output>(spec: ActionSpec<Input, Output>): Action<Input, Output> {
  const { mutateAsync, reset, isPending } = useMutation(mutationOptions<Input, Output>(spec.queue))
  const latest = useRef<{ readonly id: string; readonly outcome: Promise<Output> }>(undefined)

  function send(input: Input): Promise<Output> {
    const id = hashKey([input])
    if (latest.current?.id === id) return latest.current.outcome
    const started = { id, outcome: mutateAsync({ spec, input, subject: spec.subject?.(input) }) }
    latest.current = started
    const forget = () => {
      if (latest.current !== started) return
      latest.current = undefined
      reset()
    }
    started.outcome.then(forget, forget)
    return started.outcome
  }

  async function run(input: Input): Promise<boolean> {
    try {
      await send(input)
      return true
    } catch (error) {
      const remedy = spec.remedy?.(error)
      const title = textOf(spec.failed, input) ?? ''
      notifyFailure({ title, error, onRetry: () => void run(input), ...(remedy ? { remedy } : {}) })
      return false
    }
  }
  return { send, run, isPending }
}

/** True while an action on a subject is in progress, wherever it was started. */
export function useIsPending(subject: string): boolean {
  return useIsMutating({ predicate: ({ state }) => isAbout(state.variables, subject) }) > 0
}

function isAbout(variables: unknown, subject: string): boolean {
  return typeof variables === 'object' && variables !== null && 'subject' in variables && variables.subject === subject
}

function mutationOptions<Input, Output>(
  queue: string | undefined,
): UseMutationOptions<Output, Error, Started<Input, Output>, RollBack | undefined> {
  return {
    gcTime: KEPT_MS,
    ...(queue === undefined ? {} : { scope: { id: queue } }),
    onMutate: async ({ spec, input }) => spec.optimistic?.(input),
    mutationFn: ({ spec, input }) => spec.call(input),
    onSuccess(output, { spec, input }, _, { client }) {
      const title = textOf(spec.done, input, output)
      if (title === undefined) return
      const { undo, canUndo = () => true } = spec
      const onUndo = undo && (() => undo(input, output).finally(() => refetch(client, spec)))
      notifyDone({ title, ...(onUndo && canUndo(input, output) ? { onUndo, fold: spec.fold?.(input) } : {}) })
    },
    onError: (_error, _started, rollBack) => rollBack?.(),
    onSettled(_output, _error, { spec }, _, { client }) {
      // Refetching now would hide the optimistic changes of those that still wait.
      const isLast =
        queue === undefined || client.isMutating({ predicate: ({ options }) => options.scope?.id === queue }) <= 1
      if (isLast) refetch(client, spec)
    },
  }
}

/** Does not wait: what is on the screen stays until the answers arrive. */
function refetch(client: QueryClient, { invalidates = [] }: { readonly invalidates?: readonly QueryKey[] }): void {
  for (const queryKey of invalidates) void client.invalidateQueries({ queryKey })
}

function textOf<Args extends unknown[]>(text: Sentence<Args> | undefined, ...args: Args): string | undefined {
  return typeof text === 'function' ? text(...args) : text
}
