/** A promise that somebody else keeps: `opened` resolves after `open()`. */
export function gate() {
  let open
  const opened = new Promise(resolve => {
    open = resolve
  })
  return { opened, open }
}
