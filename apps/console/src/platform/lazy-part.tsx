// Components in files of their own that the browser loads when it is idle. React reveals what it has waited for only
// 300 ms after it has shown the gap, even if the file was there all the time: what is loaded is rendered at once.
import { type ComponentType, createElement, lazy, useState } from 'react'
import type { PageFile } from './page-files.ts'

/**
 * The component of a file; inside of a Suspense boundary, for when the file is not loaded yet.
 * @param pick the component in the module
 */
export function lazyPart<Module, Props extends object>(
  file: PageFile<Module>,
  pick: (module: Module) => ComponentType<Props>,
): ComponentType<Props> {
  const Later = lazy(async () => ({ default: pick(await file()) }))
  return function LazyPart(props: Props) {
    // Stays the same while it is mounted: another component would lose the state.
    const [part] = useState((): { readonly Body: ComponentType<Props> } => {
      const module = file.loaded()
      return { Body: module ? pick(module) : Later }
    })
    return createElement(part.Body, props)
  }
}
