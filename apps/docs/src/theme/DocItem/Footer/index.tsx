// Below each page: last update and edit link of the theme, then whether the page helped.
import type { ReactElement } from 'react'
import Footer from '@theme-original/DocItem/Footer'
import { Feedback } from '../../../components/feedback.tsx'

export default function DocItemFooter(): ReactElement {
  return (
    <>
      <Footer />
      <Feedback />
    </>
  )
}
