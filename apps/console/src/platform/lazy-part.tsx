// Components in files of their own that the browser loads when it is idle. React reveals what it has waited for only
// 300 ms after it has shown the gap, even if the file was there all the time: what is loaded is rendered at once.
import {
  type ComponentType,
  createElement,
  lazy,
  useEffect,
  useEffectEvent,
  useState,
  useSyncExternalStore,
} from 'react'
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

/**
 * The module of a file that an action needs, as a dialog: undefined until it is wanted and loaded.
 * @param onFailed it cannot be loaded now; the next time that it is wanted tries again
 */
export function useLater<Module>(
  file: PageFile<Module>,
  isWanted: boolean,
  onFailed: (error: unknown) => void,
): Module | undefined {
  const [module, setModule] = useState(file.loaded)
  const failed = useEffectEvent(onFailed)
  const isMissing = isWanted && module === undefined
  useEffect(() => {
    if (!isMissing) return
    file().then(
      (loaded) => setModule(() => loaded),
      (error: unknown) => failed(error),
    )
  }, [file, isMissing])
  return module
}

/** The module of a file once something has loaded it, such as the browser in an idle moment; asks for nothing itself. */
export function useLoaded<Module>(file: PageFile<Module>): Module | undefined {
  return useSyncExternalStore(file.subscribe, file.loaded)
}
