/* How the search orders what it finds, and excerpts without what surrounds a page's text. */
"use strict";
var Scorer = {
  // Of pages that are found equally well, those that explain come first; terms of the glossary and claims come later,
  // and of the API only the name that was asked for comes early.
  score: ([page, , anchor, description, score]) => {
    const folder = page.split("/")[0];
    if (folder === "api") return score + (description ? 5 : -3);
    if (folder === "glossary") return score - (anchor ? 15 : 0);
    return score + ({ papers: 2, methods: 2, executed: 1, claims: -1, bibliography: -15 }[folder] ?? 0);
  },
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 20, // by default 15
  partialTitle: 9, // by default 7
  term: 5,
  partialTerm: 2,
};

document.addEventListener("DOMContentLoaded", () => {
  if (typeof Search === "undefined") return;
  const original = Search.htmlToText;
  Search.htmlToText = (text, anchor) => {
    const article = new DOMParser().parseFromString(text, "text/html").querySelector("article");
    article?.querySelectorAll("nav, .toggle-details, .source-line, button").forEach((element) => element.remove());
    return original(article ? `<div role="main">${article.innerHTML}</div>` : text, anchor);
  };
});
