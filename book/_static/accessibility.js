/* Names and roles that the theme and the notebook renderer leave out or set wrongly, for screen readers. */
"use strict";
document.addEventListener("DOMContentLoaded", () => {
  const all = (selector) => document.querySelectorAll(selector);

  for (const summary of all("nav details > summary")) {
    const page = summary.closest("li")?.querySelector("a")?.textContent.trim();
    summary.setAttribute("aria-label", `pages of ${page}`);
  }
  // Their text says what they do; these labels say something else.
  for (const toggle of all('summary[aria-label="Toggle hidden content"]')) toggle.removeAttribute("aria-label");
  for (const button of all(".search-button-field")) button.setAttribute("aria-label", "Search Ctrl+K");

  const sidebar = document.querySelector(".bd-sidebar-primary");
  sidebar?.setAttribute("role", "complementary");
  sidebar?.setAttribute("aria-label", "Book");

  // The keyboard reaches code that scrolls sideways.
  const resized = new ResizeObserver((entries) => {
    for (const { target } of entries) {
      const scrolls = target.scrollWidth > target.clientWidth;
      for (const [name, value] of [["tabindex", "0"], ["role", "group"], ["aria-label", "code"]]) {
        if (scrolls) target.setAttribute(name, value);
        else target.removeAttribute(name);
      }
    }
  });
  for (const code of all("article pre")) resized.observe(code);

  // Roles of a bibliography's entries are deprecated, and a list may not contain links.
  for (const entry of all('[role="doc-biblioentry"], .citation-list')) entry.removeAttribute("role");
});

// Font Awesome has by now turned the titles of icons into text; the button is named already.
window.addEventListener("load", () => {
  for (const title of document.querySelectorAll(".theme-switch-button svg > title")) {
    const icon = title.parentElement;
    for (const name of ["aria-labelledby", "role"]) icon.removeAttribute(name);
    icon.setAttribute("aria-hidden", "true");
    title.remove();
  }
});
