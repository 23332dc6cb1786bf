export default function Tab(_: { readonly view: unknown; readonly address: unknown }) {
  return <p>timeline-tab</p>;
}
