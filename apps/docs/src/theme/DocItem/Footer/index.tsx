// Below each page: the theme's last update and edit link, then the feedback form.
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
