// Binds the files to their route.
import { getRouteApi } from '@tanstack/react-router'
import { FilesPage } from './files-page.tsx'

const route = getRouteApi('/app/devices/$uid/files')

export function FilesRoute() {
  const { uid } = route.useParams()
  const { path, back } = route.useSearch()
  return <FilesPage key={uid} uid={uid} path={path ?? ''} back={back} />
}
